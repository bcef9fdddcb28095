#pragma once

#include "base/result.hpp"
#include "exchange/admission.hpp"
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
Result<std::string> overview_answer(std::string_view range, const OverviewSources& sources,
                                    telemetry::RecentTraffic::Time now);

}  // namespace runnel::server
