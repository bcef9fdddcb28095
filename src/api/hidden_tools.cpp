#include "api/hidden_tools.hpp"

#include <algorithm>

namespace runnel::api {

bool HiddenTools::has(std::string_view tool) const {
    return std::ranges::any_of(
        names_, [&](const std::string& name) { return name == "*" || name == tool; });
}

}  // namespace runnel::api
