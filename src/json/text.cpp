#include "json/text.hpp"

#include "base/letters.hpp"

#include <algorithm>

namespace runnel::json {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view hex_digits = "0123456789abcdef";

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }
// A byte that was not UTF-8, as Parser spells it.
bool is_escaped_byte(std::uint32_t unit) { return unit >= 0xDC80 && unit <= 0xDCFF; }

void append_utf8(std::string& out, std::uint32_t point) {
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xC0 | point >> 6);
        out += static_cast<char>(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        out += static_cast<char>(0xE0 | point >> 12);
        out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (point & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | point >> 18);
        out += static_cast<char>(0x80 | (point >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (point & 0x3F));
    }
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The unit of a \uXXXX escape whose 'u' is at `at`; -1 when it is not one.
std::int32_t unit_at(std::string_view text, std::size_t at) {
    if (at + 5 > text.size()) return -1;
    std::int32_t unit = 0;
    for (std::size_t i = at + 1; i < at + 5; ++i) {
        const int digit = hex_value(text[i]);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

// What a one-letter escape stands for; 0 when there is no such escape.
char simple_escape(char letter) {
    switch (letter) {
        case 'n': return '\n';
        case 't': return '\t';
        case 'r': return '\r';
        case 'b': return '\b';
        case 'f': return '\f';
        case '"': return '"';
        case '\\': return '\\';
        case '/': return '/';
        default: return 0;
    }
}

// Where the text goes on after the backslash at `at` and the letter that it escapes. A character
// beyond ASCII is never escaped: taking its first byte away would leave bytes that are no
// character.
std::size_t after_escape(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size()) return text.size();
    return static_cast<unsigned char>(text[at + 1]) < 0x80 ? at + 2 : at + 1;
}

void append_escaped_char(std::string& out, unsigned char c) {
    switch (c) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\n': out += "\\n"; return;
        case '\t': out += "\\t"; return;
        case '\r': out += "\\r"; return;
        case '\b': out += "\\b"; return;
        case '\f': out += "\\f"; return;
        default: break;
    }
    if (c < 0x20) {
        out += "\\u00";
        out += hex_digits[c >> 4];
        out += hex_digits[c & 15];
    } else {
        out += static_cast<char>(c);
    }
}

// How many bytes the UTF-8 sequence that `lead` begins has; 0 when nothing begins so.
int sequence_length(unsigned char lead) {
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 0;
}

// The bounds of a sequence's second byte: they exclude overlong forms, surrogates and what lies
// past U+10FFFF.
bool second_byte_fits(unsigned char lead, unsigned char second) {
    switch (lead) {
        case 0xE0: return second >= 0xA0 && second <= 0xBF;
        case 0xED: return second >= 0x80 && second <= 0x9F;
        case 0xF0: return second >= 0x90 && second <= 0xBF;
        case 0xF4: return second >= 0x80 && second <= 0x8F;
        default: return second >= 0x80 && second <= 0xBF;
    }
}

// The place of the first escape that join() has to rewrite: \u, \/ and what is no escape at all.
std::size_t first_rewrite(std::string_view text, std::size_t from) {
    for (std::size_t at = from; (at = text.find('\\', at)) != std::string_view::npos; at += 2) {
        const char letter = at + 1 < text.size() ? text[at + 1] : 0;
        if (letter == '/' || simple_escape(letter) == 0) return at;
    }
    return std::string_view::npos;
}

}  // namespace

void append_escaped(std::string& out, std::string_view plain) {
    std::size_t copied = 0;
    for (std::size_t i = 0; (i = find_other<Letters::unescaped>(plain, i)) < plain.size(); ++i) {
        out.append(plain, copied, i - copied);
        append_escaped_char(out, static_cast<unsigned char>(plain[i]));
        copied = i + 1;
    }
    out.append(plain, copied);
}

void append_unescaped(std::string& out, std::string_view escaped) {
    std::size_t copied = 0;
    for (std::size_t at; (at = escaped.find('\\', copied)) != std::string_view::npos;) {
        out.append(escaped, copied, at - copied);
        const char letter = at + 1 < escaped.size() ? escaped[at + 1] : 0;
        copied = after_escape(escaped, at);
        if (letter != 'u') {
            if (const char c = simple_escape(letter)) out += c;
            continue;
        }
        std::int32_t unit = unit_at(escaped, at + 1);
        if (unit < 0) continue;
        copied = at + 6;
        if (is_high_surrogate(unit) && escaped.substr(copied, 2) == "\\u") {
            const std::int32_t low = unit_at(escaped, copied + 1);
            if (low >= 0 && is_low_surrogate(low)) {
                append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
                copied += 6;
                continue;
            }
        }
        if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
            out += replacement;
        } else {
            append_utf8(out, unit);
        }
    }
    out.append(escaped, copied);
}

std::string unescaped(std::string_view escaped) {
    std::string out;
    out.reserve(escaped.size());
    append_unescaped(out, escaped);
    return out;
}

bool escapes_are_legal(std::string_view escaped) {
    for (std::size_t at = 0; (at = escaped.find('\\', at)) != std::string_view::npos;) {
        const char letter = at + 1 < escaped.size() ? escaped[at + 1] : 0;
        if (letter == 'u') {
            if (unit_at(escaped, at + 1) < 0) return false;
            at += 6;
        } else {
            if (simple_escape(letter) == 0) return false;
            at += 2;
        }
    }
    return true;
}

std::string_view Joiner::join(std::string_view fragment, std::string& scratch) {
    std::size_t at = holding() ? 0 : first_rewrite(fragment, 0);
    if (at == std::string_view::npos) return fragment;

    scratch.assign(fragment, 0, at);
    while (at < fragment.size()) {
        if (fragment[at] != '\\') {
            const std::size_t end = std::min(fragment.find('\\', at), fragment.size());
            drop_held(scratch);
            scratch.append(fragment, at, end - at);
            at = end;
            continue;
        }
        const char letter = at + 1 < fragment.size() ? fragment[at + 1] : 0;
        const std::int32_t unit = letter == 'u' ? unit_at(fragment, at + 1) : -1;
        if (unit >= 0) {
            add_unit(unit, scratch);
            at += 6;
            continue;
        }
        drop_held(scratch);
        if (letter == '/') {
            scratch += '/';
        } else if (simple_escape(letter) != 0) {
            scratch.append(fragment, at, 2);
        } else {
            scratch += replacement;
        }
        at = after_escape(fragment, at);
    }
    return scratch;
}

std::string_view Joiner::flush(std::string& scratch) {
    scratch.clear();
    drop_held(scratch);
    return scratch;
}

void Joiner::add_unit(std::uint32_t unit, std::string& out) {
    if (high_surrogate_ != 0 && is_low_surrogate(unit)) {
        append_utf8(out, 0x10000 + ((high_surrogate_ - 0xD800U) << 10) + (unit - 0xDC00U));
        high_surrogate_ = 0;
        return;
    }
    if (is_escaped_byte(unit)) {
        add_byte(static_cast<unsigned char>(unit & 0xFF), out);
        return;
    }
    drop_held(out);
    if (is_high_surrogate(unit)) {
        high_surrogate_ = static_cast<std::uint16_t>(unit);
    } else if (is_low_surrogate(unit)) {
        out += replacement;
    } else if (unit < 0x80) {
        append_escaped_char(out, static_cast<unsigned char>(unit));
    } else {
        append_utf8(out, unit);
    }
}

void Joiner::add_byte(unsigned char byte, std::string& out) {
    if (high_surrogate_ != 0) drop_held(out);
    if (byte_count_ != 0) {
        const auto lead = static_cast<unsigned char>(bytes_[0]);
        const bool fits = byte_count_ == 1 ? second_byte_fits(lead, byte) : (byte & 0xC0) == 0x80;
        if (fits) {
            bytes_[byte_count_++] = static_cast<char>(byte);
            if (byte_count_ == sequence_length(lead)) {
                out.append(bytes_.data(), byte_count_);
                byte_count_ = 0;
            }
            return;
        }
        drop_held(out);
    }
    if (sequence_length(byte) == 0) {
        out += replacement;
        return;
    }
    bytes_[0] = static_cast<char>(byte);
    byte_count_ = 1;
}

void Joiner::drop_held(std::string& out) {
    if (!holding()) return;
    out += replacement;
    high_surrogate_ = 0;
    byte_count_ = 0;
}

std::string_view cleaned(std::string_view text, std::string& scratch) {
    Joiner joiner;
    const std::string_view clean = joiner.join(text, scratch);
    if (!joiner.holding()) return clean;
    // It ends with half a character.
    std::string rest;
    scratch = clean;
    return scratch += joiner.flush(rest);
}

}  // namespace runnel::json
