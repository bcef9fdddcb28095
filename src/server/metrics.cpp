#include "server/metrics.hpp"

#include "base/log.hpp"
#include "http/server/open_connections.hpp"
#include "server/handlers.hpp"
#include "storage/journal/recorder.hpp"
#include "telemetry/by_labels.hpp"
#include "telemetry/request_metrics.hpp"
#include "telemetry/trace_queue.hpp"

#include <fstream>
#include <map>

#include <sys/resource.h>
#include <unistd.h>

namespace runnel::server {
namespace {

using telemetry::MetricPage;

constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

template <class Number>
double real(Number number) {
    return static_cast<double>(number);
}

void write_process(std::chrono::sys_seconds started, MetricPage* page) {
    page->gauge("runnel_build_info", "The version that runs, as a label of the number 1")
        .value(1.0, {{"version", RUNNEL_VERSION}});
    page->gauge("process_start_time_seconds", "When the process began, in Unix time")
        .value(real(started.time_since_epoch().count()));
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return real(time.tv_sec) + real(time.tv_usec) / 1e6;
    };
    page->counter("process_cpu_seconds_total", "Processor time that the process took")
        .value(seconds(used.ru_utime) + seconds(used.ru_stime));
    std::ifstream memory("/proc/self/statm");  // in pages: all, resident, …
    long all = 0;
    long resident = 0;
    memory >> all >> resident;
    page->gauge("process_resident_memory_bytes", "Memory that the process holds")
        .value(real(resident) * real(::sysconf(_SC_PAGESIZE)));
    page->counter("runnel_log_lines_dropped_total",
                  "Lines of the log that are missing, because nobody read stderr")
        .value(real(log::dropped_lines()));
}

void write_memory(const MemoryBudget& memory, MetricPage* page) {
    using Use = MemoryBudget::Use;
    page->gauge("runnel_memory_limit_bytes",
                "Memory that requests, answers and what is kept of them may take together")
        .value(real(memory.limit()));
    page->gauge("runnel_memory_bytes", "Memory that they take, by what takes it")
        .value(real(memory.taken_for(Use::bodies)), {{"use", "bodies"}})
        .value(real(memory.taken_for(Use::answers)), {{"use", "answers"}})
        .value(real(memory.taken_for(Use::state)), {{"use", "state"}})
        .value(real(memory.taken_for(Use::cache)), {{"use", "cache"}});
}

void write_connections(const http::ConnectionSlots& slots, MetricPage* page) {
    const auto figures = slots.figures();
    page->gauge("runnel_client_connections_limit", "Connections that clients may have open")
        .value(real(figures.limit));
    page->counter("runnel_client_connections_refused_total",
                  "Connections beyond a limit, which get only health checks and the admin API")
        .value(real(figures.refused_all), {{"limit", "connections"}})
        .value(real(figures.refused_address), {{"limit", "connections_per_address"}})
        .value(real(figures.refused_descriptors), {{"limit", "descriptors"}});
    page->counter("runnel_client_connections_closed_total",
                  "Waiting connections that were closed to make room for others")
        .value(real(figures.closed));
}

// What the threads that serve requests count, each for itself.
void write_threads(const exchange::SharedState& shared, MetricPage* page) {
    telemetry::RequestSums requests;
    telemetry::StreamSums streams;
    http::ConnectionPool::Figures upstream{};
    std::int64_t clients = 0;
    for (const auto& [worker, connections] : shared.threads) {
        requests += worker->requests.read();
        streams.open += worker->streams.open.read();
        streams.pings += worker->streams.pings.read();
        streams.gaps += worker->streams.gaps.read();
        const auto pool = worker->client.figures();
        upstream.idle += pool.idle;
        upstream.busy += pool.busy;
        clients += connections->count();
    }
    write_requests(requests, page);
    write_streams(streams, page);
    page->gauge("runnel_client_connections", "Open connections of clients").value(real(clients));
    if (!shared.threads.empty()) write_connections(*shared.threads.front().clients->slots(), page);
    page->gauge("runnel_upstream_connections", "Open connections to providers")
        .value(real(upstream.idle), {{"state", "idle"}})
        .value(real(upstream.busy), {{"state", "busy"}});
}

void write_admission(const exchange::Admission::Figures& figures, MetricPage* page) {
    page->gauge("runnel_requests_running", "Chat requests that are under way")
        .value(real(figures.inside));
    page->gauge("runnel_requests_waiting", "Chat requests that wait for one of these to end")
        .value(real(figures.waiting));
    page->gauge("runnel_requests_limit",
                "Chat requests that may be under way at a time; 0: any number")
        .value(real(figures.concurrent));
}

// Of every provider, also of those that were never asked: an alert needs the zeros too. Not of
// every model and key, of which there is no end.
void write_breakers(const exchange::Gateway& gateway, const router::Health& health,
                    MetricPage* page) {
    struct Counts {
        std::int64_t closed = 0;
        std::int64_t half_open = 0;
        std::int64_t open = 0;
    };
    std::map<std::string_view, Counts> providers;
    for (const exchange::ProviderSlot& slot : gateway.providers) providers[slot.name];
    const auto entries = health.entries(router::Health::Clock::now());
    for (const router::Health::Entry& entry : entries) {
        const auto name = std::string_view(entry.name).substr(0, entry.name.find('/'));
        const auto found = providers.find(name);
        if (found == providers.end()) continue;  // of a config before
        auto& [closed, half_open, open] = found->second;
        ++(entry.breaker == "closed" ? closed : entry.breaker == "open" ? open : half_open);
    }
    page->gauge("runnel_breakers", "Circuit breakers, one for each model and key that was asked");
    for (const auto& [name, counts] : providers) {
        page->value(real(counts.closed), {{"provider", name}, {"state", "closed"}})
            .value(real(counts.half_open), {{"provider", name}, {"state", "half_open"}})
            .value(real(counts.open), {{"provider", name}, {"state", "open"}});
    }
}

void write_store(const exchange::SharedState& shared, MetricPage* page) {
    const storage::Recorder* recorder = shared.recorder;
    const auto figures = recorder != nullptr ? recorder->figures() : storage::Recorder::Figures();
    page->gauge("runnel_store_up", "1: the store took what it was last given")
        .value(figures.store_is_up ? 1.0 : 0.0);
    page->gauge("runnel_store_rows_waiting", "Requests that wait in the journal for the store")
        .value(real(figures.waiting));
    page->gauge("runnel_store_lag_seconds", "How long the oldest of them has waited")
        .value(real(figures.lag.count()) / 1000);
    page->counter("runnel_store_rows_total", "Requests that were brought into the store")
        .value(real(figures.stored + figures.recovered));
    page->counter("runnel_store_rows_lost_total",
                  "Requests that are missing in the log and the ledger for good")
        .value(real(figures.lost + shared.unrecorded.count()));
    page->gauge("runnel_journal_bytes", "Size of the journal on the disk")
        .value(real(figures.journal_bytes));
    page->gauge("runnel_journal_memory_bytes", "Size of the journal in memory")
        .value(real(figures.memory_bytes));
}

void write_traces(const telemetry::TraceQueue* traces, MetricPage* page) {
    const auto figures = traces != nullptr ? traces->figures() : telemetry::TraceQueue::Figures();
    page->gauge("runnel_traces_waiting", "Requests whose spans wait for the collector")
        .value(real(figures.waiting_requests));
    page->counter("runnel_trace_spans_total", "Spans, by what became of them")
        .value(real(figures.sent_spans), {{"outcome", "sent"}})
        .value(real(figures.dropped_spans), {{"outcome", "dropped"}});
}

// What this process does and did since it began, in Prometheus's text format. Reads what all
// threads count, from any thread; takes a few milliseconds where there is much.
std::string metrics_text(const exchange::Gateway& gateway, const exchange::SharedState& shared) {
    MetricPage page;
    write_process(shared.started, &page);
    write_memory(shared.memory, &page);
    write_threads(shared, &page);
    write_admission(shared.admissions.requests.figures(), &page);
    write_breakers(gateway, shared.health, &page);
    page.gauge("runnel_cache_bytes", "Size of the answers that are kept in memory")
        .value(real(shared.cache.answers.bytes()));
    write_store(shared, &page);
    write_traces(shared.traces, &page);
    return page.text();
}

}  // namespace

ModelNames::ModelNames(const router::Router& router) {
    for (router::Router::Listed& model : router.list()) {
        for (std::string& target : model.targets) names_.insert(std::move(target));
        names_.insert(std::move(model.id));
    }
}

std::string_view ModelNames::label_of(std::string_view model) const {
    const auto found = names_.find(model);
    return found == names_.end() ? telemetry::other_label : std::string_view(*found);
}

// Put together where no stream has to wait for it.
Answer show_metrics(Call call) {
    std::string text =
        co_await aside<std::string>(call.resources->operations, [gateway = call.resources->gateway,
                                                                 shared = call.resources->shared] {
            return metrics_text(*gateway, *shared);
        });
    call.answer_headers().add("Cache-Control", "no-store");
    co_await send(call, 200, metrics_type, std::move(text));
}

}  // namespace runnel::server
