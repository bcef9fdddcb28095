#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/presets.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {

struct OpenAiBody {
    std::string json{};
    std::vector<std::string> warnings{};  // what the provider would refuse and was left out
    timeline::Started::Form form = timeline::Started::Form::free;
};

// The body that asks a member of the family, in its words where the preset says that it has its
// own. `kind` is the configured one: with the model it names whose kept state may go back.
Result<OpenAiBody> write_openai_body(const Preset& preset, std::string_view kind,
                                     const chat::Request& request, std::string_view model);

}  // namespace runnel::provider
