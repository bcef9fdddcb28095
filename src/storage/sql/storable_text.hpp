#pragma once

#include "base/utf8.hpp"
#include "storage/limits.hpp"

#include <deque>
#include <string>
#include <string_view>

namespace runnel::storage {

// Text as both databases take it and give it back. One record with a stray byte in it must not keep
// a whole batch from being stored.
class StorableText {
public:
    // `text` itself, or, where it has bytes that are no text, a mended copy that lives until
    // clear().
    std::string_view of(std::string_view text);
    void clear() { mended_.clear(); }

private:
    std::deque<std::string> mended_;  // whose strings stay where they are
};

// What a column that is searched keeps of a name: an index takes no more.
inline std::string_view stored_name(std::string_view name) {
    return utf8_prefix(name, limits::name_bytes);
}

}  // namespace runnel::storage
