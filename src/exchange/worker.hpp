#pragma once

#include "base/ids.hpp"
#include "guardrail/set.hpp"
#include "http/client/client.hpp"
#include "http/stop.hpp"
#include "http/task_group.hpp"
#include "json/parser.hpp"
#include "storage/journal/journal.hpp"
#include "telemetry/request_sums.hpp"
#include "telemetry/stream_figures.hpp"

#include <boost/asio/io_context.hpp>

#include <random>
#include <set>

namespace runnel::exchange {

// What one thread has for its exchanges, shared with no other thread.
struct Worker {
    Worker(boost::asio::io_context* loop, http::UpstreamTls* upstream_tls)
        : tasks(loop->get_executor()),
          client(loop, &tasks, upstream_tls) {}

    boost::asio::any_io_executor executor() const { return tasks.executor(); }

    http::TaskGroup tasks;
    http::Client client;
    json::Parser parser;
    IdSource ids;
    guardrail::GuardrailWorkspace guardrails;
    // What its requests come to; any thread may read it.
    telemetry::StreamFigures streams;
    telemetry::RequestTally requests;
    storage::JournalWriter* journal = nullptr;        // null: nothing is written down
    std::set<http::Stop*> background;                 // of what is answered without its client
    std::minstd_rand random{std::random_device{}()};  // for pauses and balancing
};

}  // namespace runnel::exchange
