#include "tools/builtin/html_entities.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

namespace runnel::tools {
namespace {

struct Entity {
    std::string_view name;
    std::uint32_t character;
};

// By name, in order.
constexpr Entity entities[] = {
    {"AElig", 0x00C6},  {"Aacute", 0x00C1}, {"Acirc", 0x00C2},   {"Agrave", 0x00C0},
    {"Aring", 0x00C5},  {"Atilde", 0x00C3}, {"Auml", 0x00C4},    {"Ccedil", 0x00C7},
    {"Dagger", 0x2021}, {"Delta", 0x0394},  {"ETH", 0x00D0},     {"Eacute", 0x00C9},
    {"Ecirc", 0x00CA},  {"Egrave", 0x00C8}, {"Euml", 0x00CB},    {"Iacute", 0x00CD},
    {"Icirc", 0x00CE},  {"Igrave", 0x00CC}, {"Iuml", 0x00CF},    {"Ntilde", 0x00D1},
    {"OElig", 0x0152},  {"Oacute", 0x00D3}, {"Ocirc", 0x00D4},   {"Ograve", 0x00D2},
    {"Omega", 0x03A9},  {"Oslash", 0x00D8}, {"Otilde", 0x00D5},  {"Ouml", 0x00D6},
    {"Prime", 0x2033},  {"Scaron", 0x0160}, {"Sigma", 0x03A3},   {"THORN", 0x00DE},
    {"Uacute", 0x00DA}, {"Ucirc", 0x00DB},  {"Ugrave", 0x00D9},  {"Uuml", 0x00DC},
    {"Yacute", 0x00DD}, {"Yuml", 0x0178},   {"aacute", 0x00E1},  {"acirc", 0x00E2},
    {"acute", 0x00B4},  {"aelig", 0x00E6},  {"agrave", 0x00E0},  {"alpha", 0x03B1},
    {"amp", 0x0026},    {"apos", 0x0027},   {"aring", 0x00E5},   {"asymp", 0x2248},
    {"atilde", 0x00E3}, {"auml", 0x00E4},   {"bdquo", 0x201E},   {"beta", 0x03B2},
    {"brvbar", 0x00A6}, {"bull", 0x2022},   {"cap", 0x2229},     {"ccedil", 0x00E7},
    {"cedil", 0x00B8},  {"cent", 0x00A2},   {"check", 0x2713},   {"circ", 0x02C6},
    {"copy", 0x00A9},   {"cup", 0x222A},    {"curren", 0x00A4},  {"dagger", 0x2020},
    {"darr", 0x2193},   {"deg", 0x00B0},    {"delta", 0x03B4},   {"divide", 0x00F7},
    {"eacute", 0x00E9}, {"ecirc", 0x00EA},  {"egrave", 0x00E8},  {"empty", 0x2205},
    {"emsp", 0x2003},   {"ensp", 0x2002},   {"epsilon", 0x03B5}, {"equiv", 0x2261},
    {"eth", 0x00F0},    {"euml", 0x00EB},   {"euro", 0x20AC},    {"exist", 0x2203},
    {"forall", 0x2200}, {"frac12", 0x00BD}, {"frac14", 0x00BC},  {"frac34", 0x00BE},
    {"frasl", 0x2044},  {"gamma", 0x03B3},  {"ge", 0x2265},      {"gt", 0x003E},
    {"hArr", 0x21D4},   {"harr", 0x2194},   {"hearts", 0x2665},  {"hellip", 0x2026},
    {"iacute", 0x00ED}, {"icirc", 0x00EE},  {"iexcl", 0x00A1},   {"igrave", 0x00EC},
    {"infin", 0x221E},  {"int", 0x222B},    {"iquest", 0x00BF},  {"isin", 0x2208},
    {"iuml", 0x00EF},   {"lambda", 0x03BB}, {"laquo", 0x00AB},   {"larr", 0x2190},
    {"ldquo", 0x201C},  {"le", 0x2264},     {"lsaquo", 0x2039},  {"lsquo", 0x2018},
    {"lt", 0x003C},     {"macr", 0x00AF},   {"mdash", 0x2014},   {"micro", 0x00B5},
    {"middot", 0x00B7}, {"minus", 0x2212},  {"mu", 0x03BC},      {"nbsp", 0x00A0},
    {"ndash", 0x2013},  {"ne", 0x2260},     {"not", 0x00AC},     {"ntilde", 0x00F1},
    {"oacute", 0x00F3}, {"ocirc", 0x00F4},  {"oelig", 0x0153},   {"ograve", 0x00F2},
    {"oline", 0x203E},  {"omega", 0x03C9},  {"ordf", 0x00AA},    {"ordm", 0x00BA},
    {"oslash", 0x00F8}, {"otilde", 0x00F5}, {"ouml", 0x00F6},    {"para", 0x00B6},
    {"part", 0x2202},   {"permil", 0x2030}, {"phi", 0x03C6},     {"pi", 0x03C0},
    {"plusmn", 0x00B1}, {"pound", 0x00A3},  {"prime", 0x2032},   {"quot", 0x0022},
    {"rArr", 0x21D2},   {"radic", 0x221A},  {"raquo", 0x00BB},   {"rarr", 0x2192},
    {"rdquo", 0x201D},  {"reg", 0x00AE},    {"rsaquo", 0x203A},  {"rsquo", 0x2019},
    {"sbquo", 0x201A},  {"scaron", 0x0161}, {"sect", 0x00A7},    {"shy", 0x00AD},
    {"sigma", 0x03C3},  {"star", 0x2606},   {"sub", 0x2282},     {"sum", 0x2211},
    {"sup", 0x2283},    {"sup1", 0x00B9},   {"sup2", 0x00B2},    {"sup3", 0x00B3},
    {"szlig", 0x00DF},  {"tau", 0x03C4},    {"thinsp", 0x2009},  {"thorn", 0x00FE},
    {"tilde", 0x02DC},  {"times", 0x00D7},  {"trade", 0x2122},   {"uacute", 0x00FA},
    {"uarr", 0x2191},   {"ucirc", 0x00FB},  {"ugrave", 0x00F9},  {"uml", 0x00A8},
    {"uuml", 0x00FC},   {"yacute", 0x00FD}, {"yen", 0x00A5},     {"yuml", 0x00FF},
    {"zwj", 0x200D},    {"zwnj", 0x200C},
};

constexpr std::uint32_t replacement = 0xFFFD;

// What windows-1252 has where Latin-1 has control characters, 0x80 to 0x9F.
constexpr std::uint32_t windows_1252[] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

void append_character(std::string& out, std::uint32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | c >> 6);
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | c >> 12);
        out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | c >> 18);
        out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    }
}

std::uint32_t shown_as(std::uint32_t number) {
    if (number >= 0x80 && number < 0xA0) return windows_1252[number - 0x80];
    const bool is_surrogate = number >= 0xD800 && number < 0xE000;
    return number == 0 || number > 0x10FFFF || is_surrogate ? replacement : number;
}

// Takes a reference from the front of `html`, which begins with '&'; 0 where there is none.
std::uint32_t take_reference(std::string_view& html) {
    if (html.starts_with("&#")) {
        const bool hex = html.size() > 2 && (html[2] == 'x' || html[2] == 'X');
        const char* const begin = html.data() + (hex ? 3 : 2);
        std::uint32_t number = 0;
        const auto [end, error] =
            std::from_chars(begin, html.data() + html.size(), number, hex ? 16 : 10);
        if (end == begin) return 0;
        html.remove_prefix(static_cast<std::size_t>(end - html.data()));
        if (html.starts_with(';')) html.remove_prefix(1);
        return error == std::errc() ? shown_as(number) : replacement;
    }
    const std::size_t end = html.find_first_of("; \n<&", 1);
    if (end == std::string_view::npos || html[end] != ';') return 0;
    const auto found =
        std::ranges::lower_bound(entities, html.substr(1, end - 1), {}, &Entity::name);
    if (found == std::end(entities) || found->name != html.substr(1, end - 1)) return 0;
    html.remove_prefix(end + 1);
    return found->character;
}

}  // namespace

void append_decoded(std::string& out, std::string_view html) {
    while (!html.empty()) {
        const std::size_t plain = std::min(html.find('&'), html.size());
        out.append(html, 0, plain);
        html.remove_prefix(plain);
        if (html.empty()) return;
        if (const std::uint32_t character = take_reference(html)) {
            append_character(out, character);
        } else {
            out += '&';
            html.remove_prefix(1);
        }
    }
}

std::string windows_1252_to_utf8(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        append_character(out, byte < 0x80 || byte >= 0xA0 ? byte : windows_1252[byte - 0x80]);
    }
    return out;
}

}  // namespace runnel::tools
