#include "api/registry.hpp"
#include "provider/core/answer_reader.hpp"
#include "provider/registry.hpp"
#include "sample_streams.hpp"

#include <benchmark/benchmark.h>

namespace runnel::bench {
namespace {

// One answer on its way: a provider's bytes in, an OpenAI client's bytes out, as an exchange does
// it.
class Transcoding {
public:
    explicit Transcoding(std::string_view kind)
        : provider_(*provider::make_provider({"bench", std::string(kind), ""})),
          encoder_(api::dialect_named("openai")->make_encoder(
              {"chatcmpl-0123456789", 1741570283, "model"}, &out_)),
          reader_(provider_->make_wire(&parser_), provider_->turn_options("model"), encoder_.get(),
                  &ids_) {}

    // The client's bytes so far; they are taken, as by a write to the socket.
    std::size_t feed(Padded bytes) {
        reader_.feed(bytes);
        const std::size_t size = out_.size();
        out_.clear();
        return size;
    }

    bool ended() const { return reader_.ended(); }

private:
    json::Parser parser_;
    IdSource ids_{1};
    std::string out_;
    std::unique_ptr<provider::Provider> provider_;
    std::unique_ptr<api::Encoder> encoder_;
    provider::AnswerReader reader_;
};

// An answer that never ends: `head` once, then `frame` so many times per read.
void transcode(benchmark::State& state, std::string_view kind, std::string head,
               const std::string& frame) {
    const auto frames = state.range(0);
    std::string read = repeated(frame, static_cast<int>(frames));
    const Padded bytes = Padded::of(read);
    Transcoding answer(kind);
    answer.feed(Padded::of(head));
    std::size_t written = 0;
    for (auto _ : state) written = answer.feed(bytes);
    if (answer.ended() || written < sample_text.size() * static_cast<std::size_t>(frames))
        state.SkipWithError("the answer did not come through");
    state.SetItemsProcessed(state.iterations() * frames);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(read.size()));
}

void openai_frames_per_read(benchmark::State& state) {
    const std::string head = openai_frame(R"("role":"assistant","content":"")");
    transcode(state, "openai", head, openai_text_frame());
}
BENCHMARK(openai_frames_per_read)->Arg(1)->Arg(100);

void anthropic_frames_per_read(benchmark::State& state) {
    transcode(state, "anthropic", anthropic_head(), anthropic_text_frame());
}
BENCHMARK(anthropic_frames_per_read)->Arg(1)->Arg(100);

// What a stream costs before its first byte.
void set_up_answer(benchmark::State& state, std::string_view kind) {
    for (auto _ : state) {
        Transcoding answer(kind);
        benchmark::DoNotOptimize(&answer);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(set_up_answer, openai, std::string_view("openai"));
BENCHMARK_CAPTURE(set_up_answer, anthropic, std::string_view("anthropic"));

}  // namespace
}  // namespace runnel::bench
