#include "storage/journal/journal.hpp"

#include "telemetry/record_json.hpp"
#include "timeline/archive.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

namespace runnel::bench {
namespace {

using namespace std::chrono_literals;

telemetry::RequestRecord usual_request() {
    telemetry::RequestRecord record;
    record.completion_id = "chatcmpl-0123456789abcdefghijklmn";
    record.request_id = "req_0123456789abcdefghijklmn";
    record.method = "POST";
    record.path = "/v1/chat/completions";
    record.model_asked = "fast";
    record.model_served = "openai/gpt-5-mini";
    record.provider = "openai";
    record.dialect = "openai";
    record.stream = true;
    record.status = 200;
    record.finish = "stop";
    record.usage = timeline::Usage{.fresh_input = 1000, .cache_read = 500, .output = 250};
    record.usage_provenance = telemetry::RequestRecord::Provenance::reported;
    record.first_event = 412'000us;
    record.total = 2'500'123us;
    record.bytes_out = 40'000;
    record.attempts.push_back(
        {.target = "openai/gpt-5-mini", .first_token = 412ms, .total = 2500ms});
    record.began = std::chrono::sys_time<std::chrono::milliseconds>(1'763'200'000'000ms);
    record.key_id = "key_0123456789abcdef";
    record.team = "search";
    record.client_address = "192.0.2.7";
    record.cost = Money{4'500'000};
    record.cost_lines = {{"input", 1000, 3e-6, Money{3'000'000}, "Input tokens"},
                         {"cache_read", 500, 3e-7, Money{150'000}, "Cached input tokens"},
                         {"output", 250, 15e-6, Money{3'750'000}, "Output tokens"}};
    return record;
}

void details_as_json(benchmark::State& state) {
    const telemetry::RequestRecord record = usual_request();
    std::string out;
    for (auto _ : state) {
        out.clear();
        telemetry::append_details(out, record);
        benchmark::DoNotOptimize(out.data());
    }
    state.counters["bytes"] = static_cast<double>(out.size());
}
BENCHMARK(details_as_json);

// A journal in a folder of its own, and a store that takes everything.
class Journaling {
public:
    Journaling() {
        std::string pattern = std::filesystem::temp_directory_path() / "runnel-bench-XXXXXX";
        path_ = ::mkdtemp(pattern.data());
        journal_ = storage::Journal::open(path_ / "journal", {});
        writer_ = journal_->add_writer();
    }
    ~Journaling() {
        journal_.reset();
        std::filesystem::remove_all(path_);
    }

    storage::JournalWriter* writer() { return writer_; }
    void keep_all() {
        while (writer_->closed()->take()) {
        }
        writer_->closed()->commit();
    }

private:
    std::filesystem::path path_;
    std::unique_ptr<storage::Journal> journal_;
    storage::JournalWriter* writer_;
};

storage::Opening opening_of(const telemetry::RequestRecord& record) {
    return {.completion_id = record.completion_id,
            .request_id = record.request_id,
            .key_id = record.key_id,
            .team = record.team,
            .model = record.model_asked,
            .target = record.model_served,
            .began = record.began,
            .input_tokens = 1500,
            .output_tokens = 4096,
            .reserved = Money{65'000'000},
            .claim_id = "claim_0123456789abcdef"};
}

// One request, opened and closed, its JSON included; subtract details_as_json. Every thousandth
// time, about as often as the recorder does, what there is goes to the store.
void opened_and_closed(benchmark::State& state) {
    const telemetry::RequestRecord record = usual_request();
    const storage::Opening opening = opening_of(record);
    Journaling journaling;
    int left = 1000;
    for (auto _ : state) {
        const auto ticket = journaling.writer()->open(opening);
        journaling.writer()->close(ticket, record);
        if (--left > 0) continue;
        state.PauseTiming();
        journaling.keep_all();
        left = 1000;
        state.ResumeTiming();
    }
    if (journaling.writer()->closed()->lost() > 0) state.SkipWithError("rows were lost");
}
BENCHMARK(opened_and_closed);

// Where content is logged: one piece of text.
void text_archived(benchmark::State& state) {
    const timeline::Text text{0, " a few more words"};
    int left = 0;
    std::optional<timeline::ArchiveWriter> writer;
    for (auto _ : state) {
        if (left-- == 0) {
            writer.emplace(10'000'000, &timeline::ArchiveWriter::Clock::now);
            left = 1000;
        }
        writer->on(text);
    }
}
BENCHMARK(text_archived);

}  // namespace
}  // namespace runnel::bench
