#pragma once

#include <string_view>

namespace runnel::metering {

// What comes after a model's name where a version of it is named: "-2025-08-07", "-latest",
// "-preview-05-20", "@20250514".
bool is_version_suffix(std::string_view rest);

// Whether what is said of one model is said of the other too: it is the same one, in whatever
// letters (to some providers these are one), or a version of it.
bool is_version_of(std::string_view asked, std::string_view model);

}  // namespace runnel::metering
