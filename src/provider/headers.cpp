#include "provider/headers.hpp"

#include <algorithm>
#include <cctype>

namespace runnel::provider {

std::vector<Header> json_headers(chat::Streaming streaming, std::string_view stream_type) {
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
    const auto same_letter = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    for (const Header& header : configured) {
        std::erase_if(headers, [&](const Header& earlier) {
            return std::ranges::equal(earlier.name, header.name, same_letter);
        });
        headers.push_back(header);
    }
}

}  // namespace runnel::provider
