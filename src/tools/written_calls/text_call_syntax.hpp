#pragma once

#include "tools/written_calls/text_call_json.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

// Follows a text from where it may be a tool call, byte by byte: JSON, alone or in code marks or
// tags, which may stand in each other:
//
//     {"name": …}    `{"name": …}`    ```json … ```    <tool_call> … </tool_call>    <tool_calls> …
class TextCallSyntax {
public:
    // whole: complete with this byte. whole_before: complete, and this byte is something else.
    // refuted: this byte is not part of any call.
    enum class Step { more, whole, whole_before, refuted };

    // See TextCallJson.
    explicit TextCallSyntax(std::span<const std::string> tools) : tools_(tools), json_(tools) {}

    static bool may_begin_with(char c) { return c == '{' || c == '[' || c == '<' || c == '`'; }

    Step take(char c);
    // There is no more text: whether it is whole, but for what a model may leave open.
    bool ends_well() const { return place_ != Place::value && !values_.empty(); }

    // The JSON of what is whole, one for each value.
    const std::vector<std::string>& values() const { return values_; }
    // There are tags around it, which say that it is meant as a call.
    bool is_tagged() const { return tagged_; }

private:
    enum class Wrap { call_tag, calls_tag, code_mark, code_fence };
    enum class Place { between, value, ticks, language, tag };

    static std::string_view ticks_of(Wrap wrap);
    Step take_between(char c);
    Step take_in_value(char c);
    Step take_in_ticks(char c);
    Step take_in_tag(char c);
    Step open(Wrap wrap, Place next);
    Step close(Wrap wrap);

    std::span<const std::string> tools_;
    TextCallJson json_;
    std::vector<Wrap> wraps_;
    Place place_ = Place::between;
    std::string word_;  // a tag, a fence's language, or ticks
    std::string value_;
    std::vector<std::string> values_;
    bool tagged_ = false;
};

}  // namespace runnel::tools
