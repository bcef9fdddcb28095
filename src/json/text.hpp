#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

// The insides of JSON strings, kept escaped. Text travels through the gateway as it came; only what
// must read it unescapes it.
namespace runnel::json {

// Appends `plain` in its escaped form: quotes, backslashes and control characters escaped, all else
// as raw UTF-8.
void append_escaped(std::string& out, std::string_view plain);

// Appends the characters that `escaped` stands for. Lone surrogates become U+FFFD.
void append_unescaped(std::string& out, std::string_view escaped);
std::string unescaped(std::string_view escaped);

// True when every escape in it is a legal one.
bool escapes_are_legal(std::string_view escaped);

// Makes fragments of one escaped text clean: each returned piece is valid on its own, with
// characters as raw UTF-8 rather than \u escapes. A character that a provider cut in two (a
// surrogate pair, or the bytes of one character) is held back until its other half comes.
class Joiner {
public:
    // The clean text; `fragment` itself where nothing had to change, otherwise a view of `scratch`.
    std::string_view join(std::string_view fragment, std::string& scratch);
    // The text is over: what is still held can only be shown as U+FFFD.
    std::string_view flush(std::string& scratch);
    bool holding() const { return high_surrogate_ != 0 || byte_count_ != 0; }

private:
    void add_unit(std::uint32_t unit, std::string& out);
    void add_byte(unsigned char byte, std::string& out);
    void drop_held(std::string& out);

    std::uint16_t high_surrogate_ = 0;
    std::uint8_t byte_count_ = 0;
    std::array<char, 4> bytes_{};
};

// A text that comes whole, made clean by itself: `text` where nothing has to change, otherwise a
// view of `scratch`.
std::string_view cleaned(std::string_view text, std::string& scratch);

}  // namespace runnel::json
