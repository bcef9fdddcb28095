#include "app/trace_exporter.hpp"

#include "base/ids.hpp"
#include "base/log.hpp"
#include "http/as_error.hpp"
#include "http/timed_stop.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::app {

namespace asio = boost::asio;
using asio::awaitable;
using std::chrono::milliseconds;
using telemetry::OtlpReply;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t waiting_requests_max = 4096;  // a few megabytes
constexpr std::size_t batch_requests = 200;         // some hundred kilobytes
constexpr milliseconds gathering_time = 500ms;
constexpr milliseconds post_time = 15s;
constexpr milliseconds first_pause = 1s;
constexpr milliseconds pause_max = 5s;         // a collector that is back is found so soon
constexpr milliseconds asked_pause_max = 30s;  // where it says itself when to come back
constexpr auto batch_time = 60s;               // after which a batch is given up
constexpr milliseconds last_time = 3s;         // for what waits when the process ends
constexpr auto drops_telling_time = 60s;
constexpr std::size_t reply_bytes = 4096;

}  // namespace

Result<std::unique_ptr<TraceExporter>> TraceExporter::open(const config::Config& config,
                                                           http::UpstreamTls* tls) {
    if (!config.traces) return std::unique_ptr<TraceExporter>();
    auto url = http::read_url(config.traces->endpoint);
    if (!url)
        return fail(url.error().kind, fmt::format("traces go to '{}': {}", config.traces->endpoint,
                                                  url.error().message));
    if (url->origin.starts_with("https:")) tls->get();
    return std::unique_ptr<TraceExporter>(new TraceExporter(*config.traces, std::move(*url), tls));
}

TraceExporter::TraceExporter(const config::Traces& settings, http::Url url, http::UpstreamTls* tls)
    : source_{settings.service_name, RUNNEL_VERSION, IdSource().next("")},
      url_(std::move(url)),
      queue_(waiting_requests_max),
      thread_(tls),
      bell_(thread_.loop()) {
    for (const auto& [name, value] : settings.headers) headers_.emplace_back(name, value);
    headers_.emplace_back("Content-Type", "application/json");
    asio::post(thread_.loop(), [this] { thread_.tasks().start("traces", run()); });
}

TraceExporter::~TraceExporter() { stop(); }

void TraceExporter::stop() {
    if (thread_.stopped()) return;
    asio::post(thread_.loop(), [this] {
        stopping_ = true;
        bell_.cancel();
    });
    if (ended_.get_future().wait_for(last_time) != std::future_status::ready)
        log::Line(log::Level::warning, "traces are lost: the collector is too slow")
            .add("collector", url_.origin)
            .write();
    thread_.stop();
}

awaitable<void> TraceExporter::run() {
    while (true) {
        const bool last = stopping_;
        const auto records = queue_.take(batch_requests);
        if (!records.empty()) co_await deliver(batch_of(records));
        if (records.empty() && last) break;
        if (records.size() < batch_requests && !stopping_) co_await sleep(gathering_time);
    }
    ended_.set_value();
}

TraceExporter::Batch
TraceExporter::batch_of(const std::vector<telemetry::RequestRecord>& records) const {
    Batch batch{telemetry::write_otlp(source_, records), 0};
    for (const auto& record : records) batch.spans += telemetry::span_count(record);
    return batch;
}

awaitable<void> TraceExporter::deliver(Batch batch) {
    const auto end = Clock::now() + batch_time;
    milliseconds pause = first_pause;
    while (true) {
        const OtlpReply reply = co_await post(&batch);
        if (reply.kind == OtlpReply::Kind::taken) {
            note_taken(batch, reply);
            co_return;
        }
        note_failure(reply.detail);
        const bool again = reply.kind == OtlpReply::Kind::try_again && !stopping_;
        const milliseconds wait =
            reply.after ? std::min<milliseconds>(*reply.after, asked_pause_max) : pause;
        if (!again || Clock::now() + wait > end) break;
        co_await sleep(wait);
        pause = std::min(2 * pause, pause_max);
    }
    queue_.note_dropped(batch.spans);
}

awaitable<OtlpReply> TraceExporter::post(const Batch* batch) {
    http::ClientRequest request{.method = "POST", .url = url_, .headers = headers_};
    request.body = batch->body;
    request.response_bytes_max = reply_bytes;
    request.repeatable = true;  // what fails is sent again anyway
    http::Stop never;
    http::TimedStop timed(thread_.tasks().executor(), &never, post_time);
    auto answer = co_await thread_.client().fetch(std::move(request), timed.get());
    if (answer)
        co_return telemetry::read_otlp_reply(answer->status, answer->headers.get("retry-after"),
                                             answer->body);
    OtlpReply lost{.kind = OtlpReply::Kind::try_again};
    lost.detail = timed.get()->requested()
                      ? fmt::format("it did not answer within {} s", post_time / 1s)
                      : std::move(answer.error().message);
    co_return lost;
}

awaitable<void> TraceExporter::sleep(milliseconds time) {
    bell_.expires_after(time);
    co_await bell_.async_wait(as_error);
}

void TraceExporter::note_taken(const Batch& batch, const OtlpReply& reply) {
    const auto rejected = std::min(static_cast<std::size_t>(reply.rejected_spans), batch.spans);
    queue_.note_sent(batch.spans - rejected);
    queue_.note_dropped(rejected);
    if (std::exchange(failing_, false)) {
        drops_told_ = queue_.figures().dropped_spans;
        log::Line(log::Level::info, "the collector takes traces again")
            .add("collector", url_.origin)
            .add("dropped_spans", drops_told_)
            .write();
    } else {
        tell_of_drops(rejected > 0 ? std::string_view(reply.detail) : "it is too slow for them");
    }
}

// Once, until it is well again: a collector may be down for days.
void TraceExporter::note_failure(std::string_view detail) {
    if (std::exchange(failing_, true)) return;
    log::Line(log::Level::warning, "the collector does not take traces; requests are not affected")
        .add("collector", url_.origin)
        .add("detail", detail)
        .write();
}

// Of those that a collector does not take though it is well; now and then.
void TraceExporter::tell_of_drops(std::string_view why) {
    const std::uint64_t dropped = queue_.figures().dropped_spans;
    if (dropped == drops_told_ || Clock::now() < drops_told_at_ + drops_telling_time) return;
    log::Line(log::Level::warning, "the collector does not take all spans")
        .add("collector", url_.origin)
        .add("detail", why)
        .add("dropped_spans", dropped)
        .write();
    drops_told_ = dropped;
    drops_told_at_ = Clock::now();
}

}  // namespace runnel::app
