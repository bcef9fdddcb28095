#include "provider/repairs.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace runnel::provider {
namespace {

// Behind the JSON string whose inside begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
}

// Takes an element out of a list, with one of the commas beside it.
void erase_element(std::string& body, std::size_t begin, std::size_t end) {
    if (body.substr(end, 1) == ",") {
        ++end;
    } else if (begin > 0 && body[begin - 1] == ',') {
        --begin;
    }
    body.erase(begin, end - begin);
}

}  // namespace

bool Provider::repair(const ErrorReply&, Outgoing*) const { return false; }

bool complains_of(const ErrorReply& reply, std::initializer_list<std::string_view> words) {
    if (reply.status != 400 && reply.status != 422) return false;
    const std::string body = ascii::lowered(reply.body);
    return std::ranges::any_of(words, [&](std::string_view word) { return body.contains(word); });
}

// All of them look for a key with its quotes bare, which inside of a JSON string would be escaped:
// what users wrote is never touched.

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

bool remove_signed_thinking(std::string& body) {
    constexpr std::string_view signature = R"(,"signature":")";
    bool removed = false;
    for (const std::string_view begin :
         {R"({"type":"thinking","thinking":")", R"({"type":"redacted_thinking","data":")"}) {
        for (std::size_t at = 0; (at = body.find(begin, at)) != std::string::npos;) {
            std::size_t end = string_end(body, at + begin.size());
            if (body.compare(end, signature.size(), signature) == 0)
                end = string_end(body, end + signature.size());
            if (body.substr(end, 1) != "}") break;
            erase_element(body, at, end + 1);
            removed = true;
        }
    }
    constexpr std::string_view budget = R"(,"thinking":{"type":"enabled")";
    const std::size_t at = body.find(budget);
    if (removed && at != std::string::npos) body.erase(at, body.find('}', at) + 1 - at);
    return removed;
}

}  // namespace runnel::provider
