#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

// Follows JSON that may be a call written as text, byte by byte, and tells as early as it can that
// it is none: another key than a call's, or a name that is no tool's. What a call's arguments are
// made of is only looked at as far as it takes to find their end.
//
//     {"name": …, "arguments": {…}}        also "parameters", or a string with JSON in it
//     {"type": "function", "id": …, "function": {"name": …, "arguments": …}}
//     [ … calls … ]    {"tool_calls": [ … calls … ]}
class TextCallJson {
public:
    enum class Step { more, whole, refuted };

    // The names of the tools that can be called; they must outlive this.
    explicit TextCallJson(std::span<const std::string> tools) : tools_(tools) {}

    Step take(char c);
    bool in_string() const { return string_ != String::none && string_ != String::literal; }

private:
    enum class Level { calls, call, object, array };
    enum class Expected { key, key_or_end, colon, value, call_or_end, comma_or_end };
    // Words are compared with those that can stand there while they come.
    enum class String { none, key, name, type, literal, any };

    Step begin(char c);
    Step take_in_string(char c);
    Step take_in_arguments(char c);
    Step begin_value(char c);
    Step open(Level level);
    Step close(char c);
    Step begin_string(String kind);
    Step end_word();
    bool may_be_a_word() const;
    Step expect(Expected expected);

    std::span<const std::string> tools_;
    std::vector<Level> levels_;
    Expected expected_ = Expected::value;
    String string_ = String::none;
    bool escaped_ = false;  // the next byte of a string
    std::string word_;
    std::string key_;
};

}  // namespace runnel::tools
