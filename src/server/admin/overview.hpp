#pragma once

#include "base/result.hpp"
#include "exchange/admission/admission.hpp"
#include "json/writer.hpp"
#include "storage/store_thread.hpp"
#include "telemetry/recent_traffic.hpp"

#include <string>
#include <string_view>

namespace runnel::server {

// What the overview is made from.
struct OverviewSources {
    const telemetry::RecentTraffic* traffic;
    exchange::Admission::Figures requests;
    telemetry::RecentTraffic::Time started;  // the process
};

// GET /admin/v1/overview?range=hour|day|week: what goes on now, and went on lately, as this process
// remembers it.
Result<std::string> overview_json(std::string_view range, const OverviewSources& sources,
                                  telemetry::RecentTraffic::Time now);

// "requests": how many run and wait.
void write_requests(json::Writer* out, const exchange::Admission::Figures& figures);

// Adds what the store knows of the week before `now`, so that a restart does not empty the
// overview. On the store's thread; `traffic` must outlive it. No store, nothing to recall.
void recall_traffic(storage::StoreThread* queries, telemetry::RecentTraffic* traffic,
                    telemetry::RecentTraffic::Time now);

}  // namespace runnel::server
