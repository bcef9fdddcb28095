#include "api/registry.hpp"
#include "guardrail/filter.hpp"
#include "provider/core/answer_reader.hpp"
#include "provider/registry.hpp"
#include "sample_streams.hpp"

#include <benchmark/benchmark.h>

#include <ctime>

// What guardrails add to a chunk: the same answer with twenty rules and without any.
namespace runnel::bench {
namespace {

using namespace guardrail;

std::vector<GuardrailRule> twenty_rules() {
    std::vector<GuardrailRule> rules;
    GuardrailRule pii{.name = "pii", .kind = GuardrailRule::Kind::pii};
    pii.detect["pii"] = {"email", "phone", "card", "iban", "secret"};
    rules.push_back(pii);
    for (int i = 1; i < 10; ++i) {
        GuardrailRule words{.name = "words" + std::to_string(i)};
        words.detect["words"] = {"codename" + std::to_string(i), "Projekt Größe",
                                 "top secret plan"};
        rules.push_back(words);
        GuardrailRule pattern{.name = "pattern" + std::to_string(i)};
        pattern.detect["patterns"] = {R"(\bACME-[A-Z]{2}\d{4}\b)", "internal use only: [a-z]{4,20}",
                                      "ticket #" + std::to_string(i) + R"(\d{5})"};
        rules.push_back(pattern);
    }
    GuardrailRule last{.name = "last"};
    last.detect["words"] = {"confidential"};
    rules.push_back(last);
    return rules;
}

// One answer on its way, from a provider's bytes to an OpenAI client's, as an exchange does it.
class Answer {
public:
    enum class Guarded { no, yes };
    explicit Answer(Guarded guarded)
        : provider_(*provider::make_provider({"bench", "openai", ""})),
          encoder_(api::dialect_named("openai")->make_encoder(
              {"chatcmpl-0123456789", 1741570283, "model"}, &out_)) {
        static const auto set = *GuardrailSet::make(twenty_rules());
        static GuardrailWorkspace workspace;
        timeline::Sink* to = encoder_.get();
        if (guarded == Guarded::yes) {
            const GuardrailBits all = guardrail_bit(set->size()) - 1;
            filter_ = *GuardrailFilter::make(set, all, &workspace, to);
            to = filter_.get();
        }
        reader_.emplace(provider_->make_wire(&parser_), provider_->turn_options("model"), to,
                        &ids_);
    }

    // The client's bytes so far; they are taken, as by a write to the socket.
    std::size_t feed(Padded bytes) {
        reader_->feed(bytes);
        if (filter_) filter_->settle();
        const std::size_t size = out_.size();
        out_.clear();
        return size;
    }

private:
    json::Parser parser_;
    IdSource ids_{1};
    std::string out_;
    std::unique_ptr<provider::Provider> provider_;
    std::unique_ptr<api::Encoder> encoder_;
    std::unique_ptr<GuardrailFilter> filter_;
    std::optional<provider::AnswerReader> reader_;
};

// A hundred chunks of prose, with a number here and there.
std::string hundred_chunks() {
    constexpr std::string_view words[] = {" The",   " river", " runs",     " past", " 12",
                                          " mills", ",",      " and then", " on",   " to the sea."};
    std::string stream;
    for (int i = 0; i < 100; ++i)
        stream += openai_frame(R"("content":")" + std::string(words[i % 10]) + '"');
    return stream;
}

// Of this thread alone.
double cpu_nanoseconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double nanoseconds(Answer& answer, Padded bytes) {
    const double begin = cpu_nanoseconds();
    benchmark::DoNotOptimize(answer.feed(bytes));
    return cpu_nanoseconds() - begin;
}

// Both in turns, so that what else the machine does slows both down alike.
void hundred_chunks_with_twenty_rules(benchmark::State& state) {
    std::string stream = hundred_chunks();
    const Padded bytes = Padded::of(stream);
    Answer off(Answer::Guarded::no), on(Answer::Guarded::yes);
    double off_time = 0, on_time = 0;
    for (auto _ : state) {
        off_time += nanoseconds(off, bytes);
        on_time += nanoseconds(on, bytes);
    }
    const double chunks = static_cast<double>(state.iterations()) * 100;
    state.counters["off_ns_per_chunk"] = off_time / chunks;
    state.counters["on_ns_per_chunk"] = on_time / chunks;
    state.counters["ratio"] = on_time / off_time;
}
BENCHMARK(hundred_chunks_with_twenty_rules);

void set_up_guarded_answer(benchmark::State& state) {
    Answer first(Answer::Guarded::yes);
    for (auto _ : state) {
        Answer answer(Answer::Guarded::yes);
        benchmark::DoNotOptimize(&answer);
    }
}
BENCHMARK(set_up_guarded_answer);

}  // namespace
}  // namespace runnel::bench
