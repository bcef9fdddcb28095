#include "provider/openai/usage.hpp"

#include "provider/core/json_fields.hpp"

#include <cstdint>

namespace runnel::provider {
namespace {

namespace ondemand = json::ondemand;
using Count = std::optional<std::int64_t>;

struct Reported {
    Count prompt, completion, total;
    Count cached, written, reasoning;
    Count audio_in, audio_out;
};

void read_prompt_details(ondemand::value details, Reported& out) {
    (void)for_each_field(details, [&](std::string_view name, ondemand::value value) {
        if (name == "cached_tokens") return read_count(value, out.cached);
        if (name == "cache_write_tokens" || name == "cache_creation_tokens")
            return read_count(value, out.written);
        if (name == "audio_tokens") return read_count(value, out.audio_in);
    });
}

void read_completion_details(ondemand::value details, Reported& out) {
    (void)for_each_field(details, [&](std::string_view name, ondemand::value value) {
        if (name == "reasoning_tokens") return read_count(value, out.reasoning);
        if (name == "audio_tokens") return read_count(value, out.audio_out);
    });
}

timeline::Usage normalised(const Reported& told) {
    timeline::Usage usage;
    std::int64_t prompt = told.prompt.value_or(0);
    std::int64_t completion = told.completion.value_or(0);
    const std::int64_t reasoning = told.reasoning.value_or(0);
    // xAI counts reasoning beside the completion, all others within it; only the total tells.
    if (reasoning > 0 && told.total == prompt + completion + reasoning) completion += reasoning;
    // Where more went through the cache than the prompt had, or the total says so, the prompt
    // leaves that part out (Azure's Grok, some routers to Anthropic).
    const std::int64_t by_cache = told.cached.value_or(0) + told.written.value_or(0);
    const bool is_beside = by_cache > prompt || told.total == prompt + completion + by_cache;
    if (is_beside) prompt += by_cache;
    usage.fresh_input = prompt - by_cache;
    usage.cache_read = told.cached;
    usage.cache_write = told.written;
    usage.output = completion;
    usage.reasoning = told.reasoning;
    usage.audio_input = told.audio_in;
    usage.audio_output = told.audio_out;
    return usage;
}

}  // namespace

std::optional<timeline::Usage> read_openai_usage(ondemand::value usage) {
    Reported told;
    // Where DeepSeek, Mistral, Moonshot and routers to Anthropic say what details say elsewhere.
    Count hit;
    Count written;
    (void)for_each_field(usage, [&](std::string_view name, ondemand::value value) {
        if (name == "prompt_tokens") return read_count(value, told.prompt);
        if (name == "completion_tokens") return read_count(value, told.completion);
        if (name == "total_tokens") return read_count(value, told.total);
        if (name == "prompt_tokens_details" || name == "prompt_token_details")
            return read_prompt_details(value, told);
        if (name == "completion_tokens_details") return read_completion_details(value, told);
        if (name == "prompt_cache_hit_tokens" || name == "num_cached_tokens" ||
            name == "cached_tokens" || name == "cache_read_input_tokens")
            return read_count(value, hit);
        if (name == "cache_creation_input_tokens") return read_count(value, written);
        if (name == "reasoning_tokens") return read_count(value, told.reasoning);
    });
    if (!told.prompt && !told.completion) return std::nullopt;
    if (!told.cached) told.cached = hit;
    if (!told.written) told.written = written;
    return normalised(told);
}

}  // namespace runnel::provider
