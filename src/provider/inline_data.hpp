#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace runnel::provider {

// Bytes that a client sent inside its JSON. `base64_escaped` is a view into what was read.
struct InlineData {
    std::string media_type;  // lower case; may be empty
    std::string_view base64_escaped;
};

// Reads data:<type>[;…];base64,<data> as it stands in a JSON string, where slashes may be written
// \/.
std::optional<InlineData> read_data_url(std::string_view escaped);

}  // namespace runnel::provider
