#include "provider/core/repairs.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace runnel::provider {
namespace {

// Behind the JSON string whose inside begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
}

// Takes an element out of a list, with one of the commas beside it; where the rest goes on.
std::size_t erase_element(std::string& body, std::size_t begin, std::size_t end) {
    if (body.substr(end, 1) == ",") {
        ++end;
    } else if (begin > 0 && body[begin - 1] == ',') {
        --begin;
    }
    body.erase(begin, end - begin);
    return begin;
}

// Behind the thinking that begins there, as we write it; 0: it is something else.
std::size_t thinking_end(std::string_view body, std::size_t at) {
    constexpr std::string_view signature = R"(,"signature":")";
    for (const std::string_view begin :
         {R"({"type":"thinking","thinking":")", R"({"type":"redacted_thinking","data":")"}) {
        if (!body.substr(at).starts_with(begin)) continue;
        std::size_t end = string_end(body, at + begin.size());
        if (body.substr(end).starts_with(signature)) end = string_end(body, end + signature.size());
        return body.substr(end).starts_with('}') ? end + 1 : 0;
    }
    return 0;
}

}  // namespace

bool Provider::repair(const ErrorReply&, Outgoing*) const { return false; }

bool complains_of(const ErrorReply& reply, std::initializer_list<std::string_view> words) {
    if (reply.status != 400 && reply.status != 422) return false;
    const std::string body = ascii::lowered(reply.body);
    return std::ranges::any_of(words, [&](std::string_view word) { return body.contains(word); });
}

// These two look for a key with its quotes bare, which inside of a JSON string would be escaped:
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

// By depth, since what tools are asked stands there as it is, with anything in it.
bool remove_signed_thinking(std::string& body) {
    constexpr int block_depth = 4;  // {"messages":[{"content":[
    constexpr std::string_view budget = R"(,"thinking":{"type":"enabled")";
    std::size_t budget_at = std::string::npos;
    bool removed = false;
    int depth = 0;
    for (std::size_t at = 0; at < body.size();) {
        const char c = body[at];
        if (c == '"') {
            at = string_end(body, at + 1);
            continue;
        }
        const std::size_t end = c == '{' && depth == block_depth ? thinking_end(body, at) : 0;
        if (end > 0) {
            at = erase_element(body, at, end);
            removed = true;
            continue;
        }
        if (depth == 1 && body.compare(at, budget.size(), budget) == 0) budget_at = at;
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        ++at;
    }
    if (removed && budget_at != std::string::npos)
        body.erase(budget_at, body.find('}', budget_at) + 1 - budget_at);
    return removed;
}

}  // namespace runnel::provider
