#pragma once

#include "base/header_field.hpp"
#include "base/result.hpp"
#include "config/config.hpp"
#include "http/client/url.hpp"
#include "http/tls.hpp"
#include "telemetry/otlp.hpp"
#include "telemetry/otlp_reply.hpp"
#include "telemetry/trace_queue.hpp"
#include "tools/tool_thread.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::app {

// Sends the spans of requests that are over to a collector, in batches, from a thread of its own.
// A collector that is down or slow is tried again for a while; what it does not take by then, and
// what there is no room for meanwhile, is dropped and counted. Nobody waits for any of that.
class TraceExporter {
public:
    // Null where the config wants no traces. `tls` must outlive it.
    static Result<std::unique_ptr<TraceExporter>> open(const config::Config& config,
                                                       http::UpstreamTls* tls);
    ~TraceExporter();
    TraceExporter(const TraceExporter&) = delete;
    TraceExporter& operator=(const TraceExporter&) = delete;

    telemetry::TraceQueue* queue() { return &queue_; }

    // When the requests have ended: what waits is sent, if that is a matter of a moment.
    void stop();

private:
    using Clock = std::chrono::steady_clock;
    struct Batch {
        std::string body;
        std::size_t spans;
    };

    TraceExporter(const config::Traces& settings, http::Url url, http::UpstreamTls* tls);
    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> deliver(Batch batch);
    boost::asio::awaitable<telemetry::OtlpReply> post(const Batch* batch);
    boost::asio::awaitable<void> sleep(std::chrono::milliseconds time);
    Batch batch_of(const std::vector<telemetry::RequestRecord>& records) const;
    void note_taken(const Batch& batch, const telemetry::OtlpReply& reply);
    void note_failure(std::string_view detail);
    void tell_of_drops(std::string_view why);

    const telemetry::TraceSource source_;
    const http::Url url_;
    std::vector<HeaderField> headers_;
    telemetry::TraceQueue queue_;

    // All that follows is used on the thread alone.
    bool stopping_ = false;
    bool failing_ = false;
    std::uint64_t drops_told_ = 0;
    Clock::time_point drops_told_at_{};
    std::promise<void> ended_;
    tools::ToolThread thread_;  // last: what runs there uses the others
    boost::asio::steady_timer bell_;
};

}  // namespace runnel::app
