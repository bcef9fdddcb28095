#pragma once

#include "store/store_thread.hpp"
#include "telemetry/recent_traffic.hpp"

namespace runnel::server {

// Adds what the store knows of the week before `now`, so that a restart does not empty the
// overview. On the store's thread; `traffic` must outlive it. No store, nothing to recall.
void recall_traffic(store::StoreThread* queries, telemetry::RecentTraffic* traffic,
                    telemetry::RecentTraffic::Time now);

}  // namespace runnel::server
