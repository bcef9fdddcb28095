#include "answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace runnel::conformance {
namespace {

using nlohmann::ordered_json;

// A failed stream may still owe a few bytes: the beginning of what could have been a tag
// or a character.
constexpr std::size_t held_back_max = 16;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    const auto from = text.find_first_not_of(space);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(space) - from + 1);
}

class Comparison {
public:
    Comparison(const Answer& expected, const Answer& actual)
        : expected_(expected),
          actual_(actual) {}

    std::string run() {
        if (expected_.failed != actual_.failed && !expected_.end_is_doubtful) {
            out_ << "  " << (expected_.failed ? "expected an error" : "expected success")
                 << (expected_.failure.empty() ? "" : " (" + expected_.failure + ")") << ", got "
                 << (actual_.failed ? "the error: " + actual_.failure : "success") << "\n";
        }
        for (const auto& [index, choice] : expected_.choices) compare_choice(index, choice);
        for (const auto& [index, choice] : actual_.choices)
            if (!expected_.choices.contains(index))
                out_ << "  choice " << index << " was invented\n";
        if (!actual_.failed && expected_.usage && actual_.usage) compare_usage();
        return out_.str();
    }

private:
    bool failed() const { return expected_.failed || actual_.failed; }

    void compare_choice(int index, const Choice& expected) {
        const auto found = actual_.choices.find(index);
        static const Choice nothing;
        const Choice& actual = found == actual_.choices.end() ? nothing : found->second;
        if (found == actual_.choices.end() && !failed()) {
            out_ << "  choice " << index << " is missing\n";
            return;
        }
        const std::string where = "choice " + std::to_string(index);
        compare_text(where + " text", expected.text, actual.text);
        if (expected.reasoning_was_tagged)
            compare_text(where + " reasoning", trimmed(expected.reasoning),
                         trimmed(actual.reasoning));
        else
            compare_text(where + " reasoning", expected.reasoning, actual.reasoning);
        compare_text(where + " refusal", expected.refusal, actual.refusal);
        compare_calls(where, expected, actual);
        if (!failed() && expected.finish != actual.finish)
            out_ << "  " << where << " finish: expected " << expected.finish << ", got "
                 << actual.finish << "\n";
    }

    void compare_text(const std::string& what, std::string_view expected, std::string_view actual) {
        if (expected == actual) return;
        if (failed() && expected.starts_with(actual) &&
            expected.size() - actual.size() <= held_back_max)
            return;
        out_ << "  " << what << " differs, " << first_difference(expected, actual) << "\n";
    }

    void compare_calls(const std::string& where, const Choice& expected, const Choice& actual) {
        if (expected.tool_calls.size() != actual.tool_calls.size() &&
            !may_lack_last(expected, actual)) {
            out_ << "  " << where << ": expected " << expected.tool_calls.size()
                 << " tool calls, got " << actual.tool_calls.size() << "\n";
        }
        std::set<std::string> ids;
        const auto count = std::min(expected.tool_calls.size(), actual.tool_calls.size());
        for (std::size_t i = 0; i < count; ++i) {
            const std::string call = where + " tool call " + std::to_string(i);
            compare_identity(call, expected.tool_calls[i], actual.tool_calls[i]);
            // Where the answer was cut, the last object may have been cut with it.
            const bool last = i + 1 == expected.tool_calls.size();
            if (!(failed() && last && expected.tool_calls[i].compare == ToolCall::Compare::value))
                compare_arguments(call + " arguments", expected.tool_calls[i], actual.tool_calls[i],
                                  expected.finish);
            if (!ids.insert(actual.tool_calls[i].id).second)
                out_ << "  " << call << ": id " << actual.tool_calls[i].id << " was used before\n";
        }
    }

    // A call whose arguments come as an object is shown when it is whole, so a cut may
    // leave it out.
    bool may_lack_last(const Choice& expected, const Choice& actual) const {
        return failed() && expected.tool_calls.size() == actual.tool_calls.size() + 1 &&
               expected.tool_calls.back().compare == ToolCall::Compare::value;
    }

    void compare_identity(const std::string& what, const ToolCall& expected,
                          const ToolCall& actual) {
        if (expected.id.empty()) {
            if (actual.id.empty()) out_ << "  " << what << " has no id\n";
        } else if (expected.id != actual.id) {
            out_ << "  " << what << " id: expected " << expected.id << ", got " << actual.id
                 << "\n";
        }
        if (expected.name != actual.name)
            out_ << "  " << what << " name: expected " << expected.name << ", got " << actual.name
                 << "\n";
    }

    void compare_arguments(const std::string& what, const ToolCall& expected,
                           const ToolCall& actual, const std::string& finish) {
        if (expected.compare == ToolCall::Compare::value) {
            const auto value = ordered_json::parse(actual.arguments, nullptr, false);
            if (value.is_discarded() || value != ordered_json::parse(expected.arguments))
                out_ << "  " << what << ": expected the value " << expected.arguments << ", got "
                     << actual.arguments << "\n";
            return;
        }
        // No arguments are no arguments only where the answer is whole: then they read {}. Groq has
        // null for them.
        const std::string arguments = expected.arguments == "null" ? "" : expected.arguments;
        const bool cut = failed() || finish == "length";
        if (arguments.empty() && cut && actual.arguments == "{}" && failed()) return;
        compare_text(what, arguments.empty() && !cut ? "{}" : arguments, actual.arguments);
    }

    void compare_usage() {
        const Usage& expected = *expected_.usage;
        const Usage& actual = *actual_.usage;
        compare_count("prompt_tokens", expected.prompt, actual.prompt);
        compare_count("completion_tokens", expected.completion, actual.completion);
        compare_count("total_tokens", expected.total, actual.total);
        compare_detail("cached_tokens", expected.cached, actual.cached);
        compare_detail("cache_write_tokens", expected.cache_write, actual.cache_write);
        compare_detail("reasoning_tokens", expected.reasoning, actual.reasoning);
    }

    void compare_count(std::string_view what, std::int64_t expected, std::int64_t actual) {
        if (expected != actual)
            out_ << "  usage " << what << ": expected " << expected << ", got " << actual << "\n";
    }

    // A reported zero may be shown or left out; a count that was not reported may not be invented.
    void compare_detail(std::string_view what, std::optional<std::int64_t> expected,
                        std::optional<std::int64_t> actual) {
        if (expected == actual || (expected == 0 && !actual)) return;
        const auto shown = [](std::optional<std::int64_t> count) {
            return count ? std::to_string(*count) : std::string("none");
        };
        out_ << "  usage " << what << ": expected " << shown(expected) << ", got " << shown(actual)
             << "\n";
    }

    const Answer& expected_;
    const Answer& actual_;
    std::ostringstream out_;
};

}  // namespace

std::string first_difference(std::string_view expected, std::string_view actual) {
    if (expected == actual) return "";
    std::size_t at = 0;
    while (at < expected.size() && at < actual.size() && expected[at] == actual[at]) ++at;
    const std::size_t from = at < 60 ? 0 : at - 60;
    std::ostringstream out;
    out << "first at byte " << at << " of " << expected.size() << " expected, " << actual.size()
        << " got\n      expected …" << expected.substr(std::min(from, expected.size()), 160)
        << "\n      got      …" << actual.substr(std::min(from, actual.size()), 160);
    return out.str();
}

std::string differences(const Answer& expected, const Answer& actual) {
    return Comparison(expected, actual).run();
}

void forget_untold_calls(Answer& expected, const Answer& actual) {
    for (auto& [index, choice] : expected.choices) {
        const auto told = actual.choices.find(index);
        const std::size_t count = told == actual.choices.end() ? 0 : told->second.tool_calls.size();
        if (count < choice.tool_calls.size()) choice.tool_calls.resize(count);
    }
}

std::string describe(const Answer& answer) {
    std::ostringstream out;
    if (answer.failed) out << "failed: " << answer.failure << "\n";
    for (const auto& [index, choice] : answer.choices) {
        out << "choice " << index << " finish=" << choice.finish << "\n";
        if (!choice.text.empty()) out << "  text " << choice.text << "\n";
        if (!choice.reasoning.empty()) out << "  reasoning " << choice.reasoning << "\n";
        if (!choice.refusal.empty()) out << "  refusal " << choice.refusal << "\n";
        for (const ToolCall& call : choice.tool_calls)
            out << "  call " << call.id << " " << call.name << " " << call.arguments << "\n";
    }
    if (answer.usage) {
        const Usage& usage = *answer.usage;
        out << "usage " << usage.prompt << "+" << usage.completion << "=" << usage.total;
        if (usage.cached) out << " cached " << *usage.cached;
        if (usage.cache_write) out << " write " << *usage.cache_write;
        if (usage.reasoning) out << " reasoning " << *usage.reasoning;
        out << "\n";
    }
    return out.str();
}

}  // namespace runnel::conformance
