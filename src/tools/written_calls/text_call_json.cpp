#include "tools/written_calls/text_call_json.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <utility>

namespace runnel::tools {
namespace {

constexpr std::string_view keys_of_call[] = {"name", "arguments", "parameters", "type",
                                             "id",   "function",  "tool_calls"};
constexpr std::string_view only_type = "function";
constexpr std::string_view only_literal = "null";

bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool any_begins_with(const auto& words, std::string_view beginning) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return word.starts_with(beginning); });
}

bool any_is(const auto& words, std::string_view wanted) {
    return std::ranges::any_of(words, [&](std::string_view word) { return word == wanted; });
}

}  // namespace

TextCallJson::Step TextCallJson::take(char c) {
    if (string_ != String::none) return take_in_string(c);
    if (levels_.empty()) return begin(c);
    if (levels_.back() == Level::object || levels_.back() == Level::array)
        return take_in_arguments(c);
    if (is_json_space(c)) return Step::more;
    switch (expected_) {
        case Expected::key_or_end:
            if (c == '}') return close(c);
            [[fallthrough]];
        case Expected::key: return c == '"' ? begin_string(String::key) : Step::refuted;
        case Expected::colon: return c == ':' ? expect(Expected::value) : Step::refuted;
        case Expected::value: return begin_value(c);
        case Expected::call_or_end: return c == '{' ? open(Level::call) : close(c);
        case Expected::comma_or_end: break;
    }
    if (c != ',') return close(c);
    return expect(levels_.back() == Level::call ? Expected::key : Expected::value);
}

TextCallJson::Step TextCallJson::begin(char c) {
    if (c == '{') return open(Level::call);
    return c == '[' ? open(Level::calls) : Step::refuted;
}

TextCallJson::Step TextCallJson::begin_value(char c) {
    if (levels_.back() == Level::calls) return c == '{' ? open(Level::call) : Step::refuted;
    if (key_ == "tool_calls") return c == '[' ? open(Level::calls) : Step::refuted;
    if (key_ == "function") return c == '{' ? open(Level::call) : Step::refuted;
    if (key_ == "name") return c == '"' ? begin_string(String::name) : Step::refuted;
    if (key_ == "type") return c == '"' ? begin_string(String::type) : Step::refuted;
    if (c == '"') return begin_string(String::any);
    if (c == '{' && key_ != "id") return open(Level::object);
    (void)begin_string(String::literal);
    return take_in_string(c);
}

TextCallJson::Step TextCallJson::take_in_arguments(char c) {
    switch (c) {
        case '"': return begin_string(String::any);
        case '{': return open(Level::object);
        case '[': return open(Level::array);
        case '}':
        case ']': return close(c);
        default: return Step::more;
    }
}

TextCallJson::Step TextCallJson::take_in_string(char c) {
    if (string_ == String::any) {
        if (escaped_) {
            escaped_ = false;
        } else if (c == '\\') {
            escaped_ = true;
        } else if (c == '"') {
            string_ = String::none;
        }
        return expect(Expected::comma_or_end);
    }
    if (string_ == String::literal) {
        if (word_ != only_literal) {
            word_ += c;
            return may_be_a_word() ? Step::more : Step::refuted;
        }
        string_ = String::none;
        expected_ = Expected::comma_or_end;
        return take(c);
    }
    if (c == '"') return end_word();
    word_ += c;
    return may_be_a_word() ? Step::more : Step::refuted;
}

bool TextCallJson::may_be_a_word() const {
    switch (string_) {
        case String::key: return any_begins_with(keys_of_call, word_);
        case String::name: return any_begins_with(tools_, word_);
        case String::type: return only_type.starts_with(word_);
        case String::literal: return only_literal.starts_with(word_);
        case String::none:
        case String::any: break;
    }
    return true;
}

TextCallJson::Step TextCallJson::end_word() {
    const String kind = std::exchange(string_, String::none);
    if (kind == String::key) {
        key_ = word_;
        return any_is(keys_of_call, word_) ? expect(Expected::colon) : Step::refuted;
    }
    const bool fits = kind == String::name ? any_is(tools_, word_) : word_ == only_type;
    return fits ? expect(Expected::comma_or_end) : Step::refuted;
}

TextCallJson::Step TextCallJson::begin_string(String kind) {
    string_ = kind;
    word_.clear();
    return Step::more;
}

TextCallJson::Step TextCallJson::open(Level level) {
    if (levels_.size() == limits::json_depth) return Step::refuted;
    levels_.push_back(level);
    return expect(level == Level::call ? Expected::key_or_end : Expected::call_or_end);
}

TextCallJson::Step TextCallJson::close(char c) {
    const bool braces = levels_.back() == Level::call || levels_.back() == Level::object;
    if (c != (braces ? '}' : ']')) return Step::refuted;
    levels_.pop_back();
    return levels_.empty() ? Step::whole : expect(Expected::comma_or_end);
}

TextCallJson::Step TextCallJson::expect(Expected expected) {
    expected_ = expected;
    return Step::more;
}

}  // namespace runnel::tools
