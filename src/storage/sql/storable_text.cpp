#include "storage/sql/storable_text.hpp"

#include <simdjson.h>

namespace runnel::storage {

std::string_view StorableText::of(std::string_view text) {
    const bool has_zero = text.find('\0') != std::string_view::npos;
    if (!has_zero && simdjson::validate_utf8(text.data(), text.size())) return text;
    std::string& mended = mended_.emplace_back();
    for (const char c : with_valid_utf8(text)) {
        if (c == '\0')
            mended += "\xEF\xBF\xBD";
        else
            mended += c;
    }
    return mended;
}

}  // namespace runnel::storage
