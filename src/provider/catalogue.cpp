#include "provider/catalogue.hpp"

#include "provider/demo/models.hpp"
#include "provider/presets.hpp"

namespace runnel::provider {

Catalogue catalogue_of(std::string_view kind) {
    if (const Preset* preset = find_preset(kind))
        return {{preset->model_prefixes.begin(), preset->model_prefixes.end()},
                {preset->models.begin(), preset->models.end()}};
    if (kind == "anthropic")
        return {{"claude-"},
                {"claude-opus-5", "claude-sonnet-5", "claude-opus-4-8", "claude-sonnet-4-6",
                 "claude-haiku-4-5"}};
    if (kind == "gemini")
        return {{"gemini-", "gemma-", "text-embedding-004", "text-embedding-005", "embedding-001"},
                {"gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro",
                 "gemini-2.5-flash", "gemini-2.5-flash-lite"},
                "models/"};
    if (kind == "bedrock")
        return {{"anthropic.", "amazon.", "meta.", "mistral.", "openai.", "cohere.", "deepseek.",
                 "qwen.", "us.", "eu.", "apac.", "global.", "arn:aws"},
                {"global.anthropic.claude-sonnet-4-5-20250929-v1:0",
                 "global.anthropic.claude-haiku-4-5-20251001-v1:0", "us.amazon.nova-pro-v1:0",
                 "us.amazon.nova-lite-v1:0", "openai.gpt-oss-120b-1:0"}};
    if (kind == "vertex")
        return {{"gemini-", "claude-"},
                {"gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash", "claude-opus-4-6",
                 "claude-sonnet-4-5@20250929", "claude-haiku-4-5@20251001"}};
    if (kind == "demo") {
        Catalogue catalogue;
        catalogue.others = Catalogue::Others::refused;
        for (const DemoModel& model : demo_models) catalogue.models.push_back(model.name);
        return catalogue;
    }
    return {};  // local servers: whatever was pulled there
}

}  // namespace runnel::provider
