#include "provider/bedrock/model.hpp"

#include "base/ascii.hpp"

#include <string>

namespace runnel::provider::bedrock {

Model model_named(std::string_view name) {
    const std::string lowered = ascii::lowered(name);
    const auto has = [&](std::string_view part) { return lowered.contains(part); };
    Model model;
    if (has("anthropic") || has("claude")) {
        model.family = Model::Family::claude;
    } else if (has("amazon.nova")) {
        model.family = Model::Family::nova;
        model.thinks = has("nova-2");
    } else if (has("gpt-oss")) {
        model.family = Model::Family::gpt_oss;
        model.thinks = true;
    } else if (has("mistral")) {
        model.family = Model::Family::mistral;
    }
    return model;
}

}  // namespace runnel::provider::bedrock
