#include "provider/core/logprobs.hpp"

#include "provider/core/json_fields.hpp"

#include <algorithm>

namespace runnel::provider {
namespace {

using json::ondemand::value;
using timeline::Logprobs;
using timeline::TokenLogprob;

// Who leaves it out, or has null there, is taken to be sure.
std::string_view read_number(value number) {
    double checked = 0;
    std::string_view raw;
    return !number.get_double().get(checked) && json::raw_value(number, raw) ? raw : "0";
}

// An array of numbers; anything else is not told.
std::string_view read_bytes(value bytes) {
    json::ondemand::array array;
    std::string_view raw;
    if (bytes.get_array().get(array) || array.raw_json().get(raw) || array.reset().error())
        return {};
    for (auto element : array) {
        std::uint64_t byte = 0;
        if (element.get_uint64().get(byte)) return {};
    }
    return raw;
}

}  // namespace

void LogprobsReader::clear() {
    text_.clear();
    refusal_.clear();
    reasoning_.clear();
    top_.clear();
    made_.clear();
}

void LogprobsReader::read(value logprobs) {
    clear();
    Tokens listed;
    std::vector<std::string_view> numbers;
    for_each_field(logprobs, [&](std::string_view name, value field) {
        if (name == "content") {
            read_tokens(field, text_);
        } else if (name == "refusal") {
            read_tokens(field, refusal_);
        } else if (name == "reasoning_content") {
            read_tokens(field, reasoning_);
        } else if (name == "tokens") {
            for_each_element(field,
                             [&](value token) { listed.push_back({clean_text(token), "0"}); });
        } else if (name == "token_logprobs") {
            for_each_element(field, [&](value number) { numbers.push_back(read_number(number)); });
        }
    });
    if (!text_.empty() || !refusal_.empty() || numbers.empty()) return;
    for (std::size_t i = 0; i < std::min(listed.size(), numbers.size()); ++i)
        listed[i].logprob_raw = numbers[i];
    text_ = std::move(listed);
}

void LogprobsReader::read_tokens(value list, Tokens& out) {
    for_each_element(list, [&](value element) {
        json::ondemand::object token;
        if (!element.get_object().get(token)) out.push_back(read_token(token));
    });
}

TokenLogprob LogprobsReader::read_token(json::ondemand::object object) {
    TokenLogprob token{"", "0"};
    for_each_field(object, [&](std::string_view name, value field) {
        if (name == "token") token.token = clean_text(field);
        if (name == "logprob") token.logprob_raw = read_number(field);
        if (name == "bytes") token.bytes_raw = read_bytes(field);
        if (name == "top_logprobs") {
            Tokens& top = top_.emplace_back();
            read_tokens(field, top);
            token.top = top;
        }
    });
    return token;
}

// A token may be half a character.
std::string_view LogprobsReader::clean_text(value text) {
    std::string_view escaped;
    if (!json::escaped_string(text, escaped)) return {};
    if (!escaped.contains('\\')) return escaped;
    return json::cleaned(escaped, made_.emplace_back());
}

void LogprobsReader::tell(timeline::Choice choice, Turn& turn) const {
    const auto tell_list = [&](Logprobs::Of of, const Tokens& tokens) {
        if (!tokens.empty()) turn.logprobs({choice, of, tokens});
    };
    tell_list(Logprobs::Of::text, text_);
    tell_list(Logprobs::Of::refusal, refusal_);
    tell_list(Logprobs::Of::reasoning, reasoning_);
}

}  // namespace runnel::provider
