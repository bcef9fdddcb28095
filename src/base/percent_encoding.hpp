#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace runnel {

// For a URL: letters, digits and -._~ stay, and what else is in `kept`; the other bytes become %XX.
std::string percent_encoded(std::string_view text, std::string_view kept = {});

// A % that two hexadecimal digits do not follow stays what it is.
std::string percent_decoded(std::string_view text);

// None where a % begins nothing.
std::optional<std::string> percent_decoded_strictly(std::string_view text);

}  // namespace runnel
