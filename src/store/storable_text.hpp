#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace runnel::store {

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

}  // namespace runnel::store
