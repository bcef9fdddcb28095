#pragma once

#include "base/utf8.hpp"
#include "store/store_limits.hpp"

#include <string_view>

namespace runnel::store {

// What a column that is searched keeps of a name: an index takes no more.
inline std::string_view stored_name(std::string_view name) {
    return utf8_prefix(name, limits::name_bytes);
}

}  // namespace runnel::store
