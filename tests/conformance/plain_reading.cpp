#include "plain_reading.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace runnel::conformance {

Answer read_plainly(Format format, std::string_view from, std::string_view bytes) {
    switch (format) {
        case Format::anthropic: return read_anthropic_plainly(bytes);
        case Format::gemini: return read_gemini_plainly(bytes);
        case Format::ollama: return read_ollama_plainly(bytes);
        case Format::bedrock: return read_bedrock_plainly(bytes);
        case Format::openai_chat:
        case Format::other: break;
    }
    return read_openai_plainly(from, bytes);
}

bool thinks_in_tags(std::string_view from, std::string_view model) {
    constexpr std::array<std::string_view, 6> families = {"r1",        "qwq",       "qwen3",
                                                          "minimax-m", "magistral", "mai-ds"};
    if (from == "openai") return false;
    if (from == "minimax") return true;
    std::string name(model);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::ranges::any_of(
        families, [&](std::string_view family) { return name.find(family) != std::string::npos; });
}

void take_out_think_block(Choice& choice) {
    constexpr std::string_view begin = "<think>";
    constexpr std::string_view end = "</think>";
    if (!choice.text.starts_with(begin)) return;
    choice.reasoning_was_tagged = true;
    const auto close = choice.text.find(end);
    choice.reasoning += choice.text.substr(begin.size(), close - begin.size());
    if (close == std::string::npos) {
        choice.text.clear();
        return;
    }
    choice.text.erase(0, close + end.size());
    choice.text.erase(0, std::min(choice.text.find_first_not_of(" \t\r\n"), choice.text.size()));
}

}  // namespace runnel::conformance
