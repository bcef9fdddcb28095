#include "provider/core/headers.hpp"

#include "base/ascii.hpp"

namespace runnel::provider {

std::vector<Header> json_headers(std::optional<chat::Streaming> streaming,
                                 std::string_view stream_type) {
    const bool streams = streaming == chat::Streaming::yes;
    std::vector<Header> headers;
    headers.reserve(8);
    headers.push_back({"content-type", "application/json"});
    headers.push_back({"accept", std::string(streams ? stream_type : "application/json")});
    // A compressed stream arrives in one piece, at its end.
    headers.push_back({"accept-encoding", "identity"});
    return headers;
}

void add_configured(std::vector<Header>& headers, const std::vector<Header>& configured) {
    for (const Header& header : configured) {
        std::erase_if(headers, [&](const Header& earlier) {
            return ascii::equal_ignoring_case(earlier.name, header.name);
        });
        headers.push_back(header);
    }
}

}  // namespace runnel::provider
