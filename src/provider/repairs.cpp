#include "provider/repairs.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace runnel::provider {

bool Provider::repair(const ErrorReply&, Outgoing*) const { return false; }

bool complains_of(const ErrorReply& reply, std::initializer_list<std::string_view> words) {
    if (reply.status != 400 && reply.status != 422) return false;
    const std::string body = ascii::lowered(reply.body);
    return std::ranges::any_of(words, [&](std::string_view word) { return body.contains(word); });
}

// Both look for a key with its quotes bare, which inside of a JSON string would be escaped: what
// users wrote is never touched.

bool remove_stream_options(std::string& body) {
    constexpr std::string_view begin = R"(,"stream_options":{)";
    const std::size_t at = body.find(begin);
    if (at == std::string::npos) return false;
    const std::size_t end = body.find('}', at);
    if (end == std::string::npos) return false;
    body.erase(at, end + 1 - at);
    return true;
}

bool replace_thought_signatures(std::string& body, std::string_view signature) {
    constexpr std::string_view begin = R"("thoughtSignature":")";
    bool replaced = false;
    for (std::size_t at = 0; (at = body.find(begin, at)) != std::string::npos;) {
        at += begin.size();
        const std::size_t end = body.find('"', at);
        if (end == std::string::npos) break;
        replaced = replaced || std::string_view(body).substr(at, end - at) != signature;
        body.replace(at, end - at, signature);
    }
    return replaced;
}

}  // namespace runnel::provider
