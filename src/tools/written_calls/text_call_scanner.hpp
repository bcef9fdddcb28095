#pragma once

#include "tools/written_calls/text_call_syntax.hpp"
#include "tools/written_calls/written_call.hpp"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace runnel::tools {

// Finds the calls that a model wrote into its text, however that comes in pieces. Only what may
// still be a call is held back; what turns out to be none is told as it came. Text is JSON-escaped,
// as in a timeline.
//
// A call in the middle of other JSON, or in a fence with other things, is part of an answer that
// speaks of calls, and stays there.
class TextCallScanner {
public:
    struct Listener {
        std::function<void(std::string_view escaped)> on_text;
        std::function<void(const WrittenCall& call)> on_call;
    };
    // The names of the tools that can be called; they must outlive the scanner.
    explicit TextCallScanner(std::span<const std::string> tools) : tools_(tools) {}

    void feed(std::string_view escaped, const Listener& to);
    // The text is over. The scanner is ready for another.
    void finish(const Listener& to);
    // Something may be a call, and is held back.
    bool is_holding() const { return syntax_.has_value(); }
    std::size_t held_bytes() const { return held_.size() + space_.size(); }

private:
    bool may_begin(char c) const;
    TextCallSyntax::Step take(std::string_view plain);
    void note(char c);
    // What is held is text.
    void release(const Listener& to);
    // What is held is whole: calls, if it can be read as such.
    void conclude(const Listener& to);

    std::span<const std::string> tools_;
    std::optional<TextCallSyntax> syntax_;  // of what is held
    std::string held_;
    // White space at the beginning and after calls: it goes with them.
    std::string space_;
    bool in_space_ = true;
    bool called_ = false;
    std::array<char, 2> last_{};  // bytes of the text that are not white space
    int ticks_ = 0;               // in a row
    bool in_fence_ = false;
};

}  // namespace runnel::tools
