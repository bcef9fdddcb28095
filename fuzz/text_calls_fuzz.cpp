#include "check.hpp"
#include "json/text.hpp"
#include "tools/written_calls/text_call_scanner.hpp"

#include <vector>

namespace {

using namespace runnel;

const std::vector<std::string> tools = {"gas", "get_balance"};

struct Found {
    std::string text;
    std::string calls;
};

// What is found in a text that comes in pieces of so many characters or escapes.
Found found_in(std::string_view escaped, std::size_t split) {
    tools::TextCallScanner scanner(tools);
    Found found;
    const tools::TextCallScanner::Listener to{
        [&](std::string_view text) { found.text += text; },
        [&](const tools::WrittenCall& call) {
            found.calls += call.name + call.arguments.value_or("-") + '\n';
        }};
    while (!escaped.empty()) {
        std::size_t end = 0;
        for (std::size_t units = 0; units < split && end < escaped.size(); ++units)
            end += escaped[end] != '\\' ? 1 : escaped.substr(end).starts_with("\\u") ? 6 : 2;
        scanner.feed(escaped.substr(0, end), to);
        escaped.remove_prefix(end);
    }
    scanner.finish(to);
    fuzz::require(!scanner.is_holding(), "nothing is held at the end");
    return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = fuzz::cut_input(data, size);
    if (input.split == 0) return 0;
    std::string escaped;
    json::append_escaped(escaped, input.bytes);
    const Found whole = found_in(escaped, escaped.size());
    const Found cut = found_in(escaped, input.split);
    fuzz::require(cut.text == whole.text && cut.calls == whole.calls, "cuts do not matter",
                  whole.text);
    fuzz::require(!whole.calls.empty() || whole.text == escaped, "other text is told as it came",
                  whole.text);
    return 0;
}
