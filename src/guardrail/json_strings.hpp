#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace runnel::guardrail {

// A string in a JSON text.
struct JsonString {
    std::string_view escaped;  // between its quotes
    std::string_view key{};    // of an object's member: its name, escaped; empty elsewhere
    bool is_key = false;       // it is such a name itself
};

// Calls look(string) for each string of a JSON text, in their order. A text that was cut off ends
// its last one.
template <class Look>
void for_each_string(std::string_view json, Look look) {
    std::string_view key;
    for (std::size_t at = 0; at < json.size();) {
        if (json[at] != '"') {
            if (std::string_view("{}[]").contains(json[at])) key = {};
            ++at;
            continue;
        }
        const std::size_t begin = ++at;
        while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
        at = std::min(at, json.size());
        const std::string_view text = json.substr(begin, at - begin);
        at = std::min(json.find_first_not_of(" \t\r\n", at + 1), json.size());
        const bool is_key = at < json.size() && json[at] == ':';
        if (is_key) key = text;
        look(JsonString{text, is_key ? std::string_view() : key, is_key});
    }
}

// What stands under such a name are kinds, proofs and identifiers, which are all numbers with some
// and mean nothing to anybody.
inline bool names_words(std::string_view key) {
    constexpr std::array<std::string_view, 10> wordless{
        "role",   "type",   "id",   "tool_call_id", "file_id",
        "format", "detail", "data", "signature",    "thought_signature"};
    return std::ranges::find(wordless, key) == wordless.end();
}

}  // namespace runnel::guardrail
