#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace runnel::http {

// An http or https URL in its two halves.
struct Url {
    std::string origin;  // "https://example.com:8443"
    std::string target;  // the path and the query, "/" at least; fit for a request line

    std::string text() const { return origin + target; }
};

// Takes what people and models write: characters that a URL cannot have are percent-encoded, and a
// fragment is left out. A user's name in front of the host is refused.
Result<Url> read_url(std::string_view text);

// What a link or a redirect on the page `base` leads to.
Result<Url> resolve_url(const Url& base, std::string_view reference);

}  // namespace runnel::http
