#pragma once

#include <string_view>

namespace runnel::server {

// Whether a value is among those of a field such as Accept-Encoding, however they are weighted.
bool lists(std::string_view values, std::string_view wanted);

}  // namespace runnel::server
