#include "api/tool_names.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace runnel::api {

bool is_tool_name(std::string_view name) {
    return !name.empty() && name.size() <= tool_name_bytes_max &&
           std::ranges::all_of(name, [](char c) {
               return ascii::is_alphanumeric(c) || tool_name_marks.contains(c);
           });
}

}  // namespace runnel::api
