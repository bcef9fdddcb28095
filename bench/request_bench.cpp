#include "api/registry.hpp"
#include "base/limits.hpp"
#include "provider/registry.hpp"
#include "sample_streams.hpp"

#include <benchmark/benchmark.h>

namespace runnel::bench {
namespace {

std::string request_with_prompt(std::size_t prompt_bytes) {
    const auto pieces = static_cast<int>(prompt_bytes / sample_text.size()) + 1;
    return R"({"model":"gpt-mock","max_tokens":512,"temperature":0.7,"messages":[)"
           R"({"role":"system","content":"You are a helpful assistant."},)"
           R"({"role":"user","content":")" +
           repeated(sample_text, pieces) + R"("}],"stream":true})";
}

void read_request_by_prompt_size(benchmark::State& state) {
    const std::string body = request_with_prompt(static_cast<std::size_t>(state.range(0)));
    json::Parser parser;
    for (auto _ : state) {
        auto request = api::chat_api().read_request({body}, &parser);
        if (!request) state.SkipWithError("the request was refused");
        benchmark::DoNotOptimize(&request);
    }
    state.SetItemsProcessed(state.iterations());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
}
BENCHMARK(read_request_by_prompt_size)->Arg(64)->Arg(16 * limits::kib)->Arg(limits::mib);

void write_request(benchmark::State& state, std::string_view kind) {
    json::Parser parser;
    const std::string body = request_with_prompt(static_cast<std::size_t>(state.range(0)));
    auto request = api::chat_api().read_request({body}, &parser);
    auto provider = provider::make_provider({"bench", std::string(kind), ""});
    if (!request || !provider) return state.SkipWithError("no request to write");
    for (auto _ : state) {
        auto outgoing = (*provider)->write_request(*request, "model");
        if (!outgoing) state.SkipWithError("the provider refused the request");
        benchmark::DoNotOptimize(&outgoing);
    }
    state.SetItemsProcessed(state.iterations());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
}
BENCHMARK_CAPTURE(write_request, openai, std::string_view("openai"))->Arg(64)->Arg(limits::mib);
BENCHMARK_CAPTURE(write_request, anthropic, std::string_view("anthropic"))
    ->Arg(64)
    ->Arg(limits::mib);

}  // namespace
}  // namespace runnel::bench
