#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/anthropic/draft.hpp"

#include <string>

namespace runnel::provider::anthropic {

// Write an image or a file as a content block, up to its end (Draft::end_block). Bytes become the
// block that they are, whatever the client calls them. `param` names the part in errors.
Result<void> begin_image(Draft& draft, const chat::Image& image, const std::string& param);
Result<void> begin_document(Draft& draft, const chat::File& file, const std::string& param);

}  // namespace runnel::provider::anthropic
