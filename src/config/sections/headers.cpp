#include "config/names.hpp"
#include "config/sections/sections.hpp"

namespace runnel::config {

std::vector<std::pair<std::string, std::string>> read_headers(const Value& value) {
    std::vector<std::pair<std::string, std::string>> headers;
    for (const Entry& entry : value.entries()) {
        if (!is_header_name(entry.key)) {
            entry.name.complain("this is not the name of a header");
            continue;
        }
        if (is_framing_header(entry.key)) {
            entry.name.complain("this header is set for each request and cannot be chosen");
            continue;
        }
        auto text = entry.value.secret();
        if (!text) continue;
        if (is_header_value(*text)) {
            headers.emplace_back(entry.key, std::move(*text));
        } else {
            entry.value.complain(
                "a header cannot have line breaks or other control characters in it");
        }
    }
    return headers;
}

}  // namespace runnel::config
