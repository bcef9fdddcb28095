#include "json/text.hpp"
#include "json/writer.hpp"
#include "sample_streams.hpp"

#include <benchmark/benchmark.h>

namespace runnel::bench {
namespace {

std::string long_text(std::string_view piece) { return repeated(piece, 200); }

void write_small_object(benchmark::State& state) {
    std::string out;
    for (auto _ : state) {
        out.clear();
        json::Writer(out)
            .begin_object()
            .key("index")
            .number(0)
            .key("delta")
            .begin_object()
            .key("content")
            .escaped(sample_text)
            .end_object()
            .key("finish_reason")
            .null()
            .end_object();
        benchmark::DoNotOptimize(out.data());
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(write_small_object);

// `how` appends one form of the text to a string.
template <class Append>
void append_over_and_over(benchmark::State& state, const std::string& text, Append how) {
    std::string out;
    for (auto _ : state) {
        out.clear();
        how(out, text);
        benchmark::DoNotOptimize(out.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void escape_prose(benchmark::State& state) {
    append_over_and_over(state, long_text(sample_text), json::append_escaped);
}
BENCHMARK(escape_prose);

void escape_code(benchmark::State& state) {
    append_over_and_over(state, long_text("\tputs(\"hello\\n\");\n"), json::append_escaped);
}
BENCHMARK(escape_code);

void unescape_code(benchmark::State& state) {
    append_over_and_over(state, long_text(R"(\tputs(\"hello\\n\");\n)"), json::append_unescaped);
}
BENCHMARK(unescape_code);

// What every text fragment passes through.
void join_fragment(benchmark::State& state, std::string_view fragment) {
    json::Joiner joiner;
    std::string scratch;
    for (auto _ : state) benchmark::DoNotOptimize(joiner.join(fragment, scratch).data());
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(join_fragment, plain, sample_text);
BENCHMARK_CAPTURE(join_fragment, utf8, std::string_view("Größe 日本語 🙂"));
BENCHMARK_CAPTURE(join_fragment, unicode_escapes, std::string_view(R"(\u65e5\u672c \ud83d\ude42)"));

}  // namespace
}  // namespace runnel::bench
