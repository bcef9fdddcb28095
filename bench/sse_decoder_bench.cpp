#include "base/limits.hpp"
#include "framing/sse.hpp"
#include "sample_streams.hpp"

#include <benchmark/benchmark.h>

namespace runnel::bench {
namespace {

constexpr int frames_per_stream = 100;

class Counter final : public framing::FrameSink {
public:
    void on_frame(const framing::Frame& frame) override {
        ++frames_;
        benchmark::DoNotOptimize(frame.data.data());
    }
    std::int64_t frames() const { return frames_; }

private:
    std::int64_t frames_ = 0;
};

// Feeds `stream` over and over, so many bytes at a time.
void decode(benchmark::State& state, std::string stream, std::size_t bytes_per_feed) {
    const Padded bytes = Padded::of(stream);
    framing::Decoder decoder(limits::frame_bytes);
    Counter counter;
    for (auto _ : state)
        for (std::size_t at = 0; at < bytes.size(); at += bytes_per_feed)
            if (!decoder.feed(bytes.part(at, bytes_per_feed), counter))
                state.SkipWithError("the decoder refused a frame");
    state.SetItemsProcessed(counter.frames());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

void sse_openai_by_read_size(benchmark::State& state) {
    decode(state, repeated(openai_text_frame(), frames_per_stream),
           static_cast<std::size_t>(state.range(0)));
}
// Every frame cut in pieces; some; none.
BENCHMARK(sse_openai_by_read_size)->Arg(64)->Arg(1460)->Arg(32 * 1024);

void sse_anthropic_by_read_size(benchmark::State& state) {
    decode(state, repeated(anthropic_text_frame(), frames_per_stream),
           static_cast<std::size_t>(state.range(0)));
}
BENCHMARK(sse_anthropic_by_read_size)->Arg(1460)->Arg(32 * 1024);

// An image or a sealed piece of reasoning in one frame.
void sse_one_large_frame(benchmark::State& state) {
    const auto size = static_cast<std::size_t>(state.range(0));
    decode(state, "data: \"" + std::string(size, 'x') + "\"\n\n", 32 * limits::kib);
}
BENCHMARK(sse_one_large_frame)->Arg(1 << 20);

}  // namespace
}  // namespace runnel::bench
