#include "cli/litellm/providers.hpp"

#include "provider/catalogue.hpp"

#include <algorithm>

namespace runnel::cli {
namespace {

constexpr LitellmProvider providers[]{
    {"openai", "openai", "", "OPENAI_API_KEY"},
    {"azure", "azure", "", "AZURE_API_KEY", "AZURE_API_BASE"},
    {"anthropic", "anthropic", "", "ANTHROPIC_API_KEY"},
    {"gemini", "gemini", "", "GEMINI_API_KEY"},
    {"ollama", "ollama"},
    {"ollama_chat", "ollama"},
    {"xai", "xai", "", "XAI_API_KEY"},
    {"deepseek", "deepseek", "", "DEEPSEEK_API_KEY"},
    {"mistral", "mistral", "", "MISTRAL_API_KEY"},
    {"moonshot", "moonshot", "", "MOONSHOT_API_KEY"},
    {"minimax", "minimax", "", "MINIMAX_API_KEY"},
    {"groq", "groq", "", "GROQ_API_KEY"},
    {"together_ai", "together", "", "TOGETHERAI_API_KEY"},
    {"fireworks_ai", "fireworks", "", "FIREWORKS_AI_API_KEY"},
    {"openrouter", "openrouter", "", "OPENROUTER_API_KEY"},
    {"perplexity", "perplexity", "", "PERPLEXITYAI_API_KEY"},
    {"cerebras", "cerebras", "", "CEREBRAS_API_KEY"},
    {"hosted_vllm", "vllm", "", "", "HOSTED_VLLM_API_BASE"},
    {"lm_studio", "lmstudio", "", "", "LM_STUDIO_API_BASE"},
    {"llamafile", "openai-compatible", "http://127.0.0.1:8080/v1"},
    {"openai_like", "openai-compatible", "", "OPENAI_LIKE_API_KEY", "OPENAI_LIKE_API_BASE"},
    {"custom_openai", "openai-compatible", "", "", "OPENAI_LIKE_API_BASE"},
    {"litellm_proxy", "openai-compatible", "", "LITELLM_PROXY_API_KEY", "LITELLM_PROXY_API_BASE"},
    {"nvidia_nim", "openai-compatible", "https://integrate.api.nvidia.com/v1",
     "NVIDIA_NIM_API_KEY"},
    {"deepinfra", "openai-compatible", "https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY"},
    {"sambanova", "openai-compatible", "https://api.sambanova.ai/v1", "SAMBANOVA_API_KEY"},
    {"dashscope", "openai-compatible", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
     "DASHSCOPE_API_KEY"},
};

// Those whose bare names LiteLLM knows too; a bare gemini-… is Vertex AI's there.
constexpr std::string_view bare_providers[]{"openai",  "anthropic", "xai",
                                            "mistral", "deepseek",  "perplexity"};

}  // namespace

const LitellmProvider* find_litellm_provider(std::string_view name) {
    const auto found = std::ranges::find(providers, name, &LitellmProvider::litellm);
    return found == std::end(providers) ? nullptr : found;
}

LitellmModelName split_litellm_model(std::string_view model) {
    const std::size_t slash = model.find('/');
    if (slash != std::string_view::npos)
        return {std::string(model.substr(0, slash)), std::string(model.substr(slash + 1))};
    for (const std::string_view provider : bare_providers) {
        const auto known = provider::catalogue_of(provider).prefixes;
        const auto begins = [&](std::string_view prefix) { return model.starts_with(prefix); };
        if (std::ranges::any_of(known, begins)) return {std::string(provider), std::string(model)};
    }
    return {"", std::string(model)};
}

}  // namespace runnel::cli
