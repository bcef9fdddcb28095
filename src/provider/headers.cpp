#include "provider/headers.hpp"

#include <algorithm>
#include <cctype>

namespace runnel::provider {

std::vector<Header> json_headers(chat::Streaming streaming, std::string_view stream_type) {
    const bool streams = streaming == chat::Streaming::yes;
    return {{"content-type", "application/json"},
            {"accept", std::string(streams ? stream_type : "application/json")},
            // A compressed stream arrives in one piece, at its end.
            {"accept-encoding", "identity"}};
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
