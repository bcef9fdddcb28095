#include "telemetry/gen_ai_provider.hpp"

#include <algorithm>
#include <utility>

namespace runnel::telemetry {

std::string_view gen_ai_provider(std::string_view kind, std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"azure", "azure.ai.openai"}, {"bedrock", "aws.bedrock"},  {"gemini", "gcp.gemini"},
        {"kimi", "moonshot_ai"},      {"mistral", "mistral_ai"},   {"moonshot", "moonshot_ai"},
        {"together", "together_ai"},  {"vertex", "gcp.vertex_ai"}, {"xai", "x_ai"},
    };
    if (kind == "openai-compatible") return name;
    const auto* const found =
        std::ranges::find(words, kind, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(words) ? kind : found->second;
}

}  // namespace runnel::telemetry
