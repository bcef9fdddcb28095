#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/cloud_settings.hpp"
#include "timeline/event.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::bedrock {

struct Body {
    std::string text;
    std::vector<std::string> warnings{};
    timeline::Started::Form form = timeline::Started::Form::free;
};

// The body of Converse and ConverseStream. What the API has no word for is dropped with a warning
// where the answer stays the same kind of answer, and refused where it would not. A picture or a
// document must have its bytes with it.
Result<Body> write_converse_body(const chat::Request& request, std::string_view model,
                                 const CloudSettings& settings);

}  // namespace runnel::provider::bedrock
