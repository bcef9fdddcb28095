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
        return {{"gemini-", "gemma-"},
                {"gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro",
                 "gemini-2.5-flash", "gemini-2.5-flash-lite"},
                "models/"};
    if (kind == "demo") {
        Catalogue catalogue;
        catalogue.others = Catalogue::Others::refused;
        for (const DemoModel& model : demo_models) catalogue.models.push_back(model.name);
        return catalogue;
    }
    return {};  // local servers: whatever was pulled there
}

}  // namespace runnel::provider
