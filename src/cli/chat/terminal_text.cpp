#include "cli/chat/terminal_text.hpp"

#include "base/utf8.hpp"

namespace runnel::cli {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr char delete_byte = 0x7F;

// U+2400…: the control characters' own pictures.
std::string picture_of(char control) {
    if (control == delete_byte) return "\xE2\x90\xA1";
    return {'\xE2', '\x90', static_cast<char>(0x80 + control)};
}

}  // namespace

std::string for_terminal(std::string_view utf8) {
    std::string out;
    while (!utf8.empty()) {
        const std::size_t length = utf8_sequence(utf8);
        const std::string_view character = utf8.substr(0, length == 0 ? 1 : length);
        utf8.remove_prefix(character.size());
        const char first = character.front();
        if (length == 0 || is_hidden_control(character))
            out += replacement;
        else if (first == '\n' || first == '\t')
            out += first;
        else if (first == '\r')
            continue;  // of a line end; alone it would hide what came before
        else if ((first >= 0 && first < ' ') || first == delete_byte)
            out += picture_of(first);
        else
            out += character;
    }
    return out;
}

}  // namespace runnel::cli
