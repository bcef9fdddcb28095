#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a model answered, all of it at once. The plain reading of a provider's bytes and the reading
// of the client's bytes both come down to this, so that they can be compared.
namespace runnel::conformance {

struct ToolCall {
    std::string
        id;  // empty in a plain reading: Runnel mints one, so only its presence can be compared
    std::string name;
    std::string arguments;

    // Streams carry arguments as text, which must arrive unchanged; objects are serialised by
    // whoever reads them, so that only their value can be compared.
    enum class Compare { text, value } compare = Compare::text;
};

struct Choice {
    std::string text;
    std::string reasoning;
    std::string refusal;
    std::string transcript;  // of audio; not compared: not every API has it apart
    std::vector<ToolCall> tool_calls;
    std::string finish;  // empty while there is none

    // The reasoning stood between tags in the text, whose own line breaks belong to nobody.
    bool reasoning_was_tagged = false;
};

struct Usage {
    std::int64_t prompt = 0;
    std::int64_t completion = 0;
    std::int64_t total = 0;
    std::optional<std::int64_t> cached{};
    std::optional<std::int64_t> cache_write{};
    std::optional<std::int64_t> reasoning{};
};

struct Answer {
    std::map<int, Choice> choices;
    std::optional<Usage> usage;

    bool failed = false;
    std::string failure;  // why, for the reader of a failed test

    // The finish reason came, the provider's own end marker did not: both an end and an
    // error are defensible.
    bool end_is_doubtful = false;
};

// What differs between what a provider said and what the client got, one difference a line; empty
// when nothing does.
std::string differences(const Answer& expected, const Answer& actual);

// Takes out of `expected` the calls that `actual` does not have: whoever tells whole calls only
// leaves out those that a failure cut short.
void forget_untold_calls(Answer& expected, const Answer& actual);

// Where two texts part, with what is around it: whole answers are too long to print twice. Empty
// when they are equal.
std::string first_difference(std::string_view expected, std::string_view actual);

// For a failed test: the answer on a few lines.
std::string describe(const Answer& answer);

}  // namespace runnel::conformance
