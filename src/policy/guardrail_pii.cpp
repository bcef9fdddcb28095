#include "policy/guardrail_pii.hpp"

#include "policy/pattern_graph.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace runnel::policy {
namespace {

using enum GuardrailRule::Pii;

constexpr std::uint32_t any_length = PatternGraph::any_length;
// A text in base64 that goes on and on is no token.
constexpr std::uint32_t web_token_bytes = 3000;

// Groups of digits stand apart by a space or a dash; typographic ones read as these do. A group of
// a card number has three digits at least: columns of small numbers are no cards.
constexpr std::string_view card_end = R"(\d(?:[ -]?\d){12})";
constexpr std::string_view card_whole = R"(\d\d\d+(?:[ -]\d\d\d+)*)";

constexpr std::array patterns{
    PiiPattern{email, R"([A-Za-z0-9._%+'-]@[A-Za-z0-9.-]{1,80}\.[A-Za-z]{2,24})",
               R"([A-Za-z0-9._%+'-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2}[A-Za-z]*)", 160,
               Confirmation::email},
    PiiPattern{card, card_end, card_whole, 24, Confirmation::card},
    PiiPattern{iban, R"([A-Za-z]{2}\d\d(?:[ -]?[A-Za-z0-9]){11,30})",
               R"(\b[A-Za-z]{2}\d\d(?:[ -]?[A-Za-z0-9])+)", 44, Confirmation::iban},
    // +49 (0)30 1234567, +1 415-555-2671, 0033 1 23 45 67 89
    PiiPattern{phone, R"((?:\+|00)[1-9](?:[ ./-]?\(?\d\)?){6,14})",
               R"((?:\+|\b00)[1-9](?:[ ./-]?\(?\d\)?)+)", 40, Confirmation::phone, 8, 15},
    // (415) 555-2671, 1-415-555-2671
    PiiPattern{phone, R"([2-9]\d\d(?:[ .-]|\)[ -]?)[2-9]\d\d[ .-]\d{4})",
               R"((?:\b1[ .-])?(?:\([2-9]\d\d\)[ -]?|\b[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4})", 16,
               Confirmation::phone, 10, 11},
    // 030 1234567, (0171) 123 45 67, 020 7946 0958
    PiiPattern{phone, R"(0\d{1,4}\)?[ /-]\d{3}(?:[ -]?\d){2,9})",
               R"((?:\(0\d{1,4}\)|\b0\d{1,4})[ /-]\d{3}\d*(?:[ -]\d+)*)", 30, Confirmation::phone,
               9, 12},
    // 01 23 45 67 89
    PiiPattern{phone, R"(0[1-9](?:[ .-]\d\d){4})", R"(\b0[1-9](?:[ .-]\d\d){4})", 14,
               Confirmation::phone, 10, 10},
    PiiPattern{secret, "[sr]k-[A-Za-z0-9_-]{20,}", R"(\b[sr]k-[A-Za-z0-9_-]+)", any_length},
    PiiPattern{secret, "[srp]k_(?:live|test)_[A-Za-z0-9]{16,}",
               R"(\b[srp]k_(?:live|test)_[A-Za-z0-9]+)", any_length},
    PiiPattern{secret, "A[KS]IA[A-Z0-9]{16}", R"(\bA[KS]IA[A-Z0-9]+)", 20,
               Confirmation::whole_word},
    PiiPattern{secret, "gh[pousr]_[A-Za-z0-9]{36,}", R"(\bgh[pousr]_[A-Za-z0-9]+)", any_length},
    PiiPattern{secret, "github_pat_[A-Za-z0-9_]{22,}", R"(\bgithub_pat_[A-Za-z0-9_]+)", any_length},
    PiiPattern{secret, "glpat-[A-Za-z0-9_-]{20,}", R"(\bglpat-[A-Za-z0-9_-]+)", any_length},
    PiiPattern{secret, "hf_[A-Za-z0-9]{30,}", R"(\bhf_[A-Za-z0-9]+)", any_length},
    PiiPattern{secret, "xox[abeoprs]-[A-Za-z0-9-]{10,}", R"(\bxox[abeoprs]-[A-Za-z0-9-]+)",
               any_length},
    PiiPattern{secret, "AIza[A-Za-z0-9_-]{35}", R"(\bAIza[A-Za-z0-9_-]+)", 39},
    // A JSON Web Token: two JSON objects in base64, and a signature.
    PiiPattern{secret, R"(eyJ[A-Za-z0-9_-]{10,400}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)",
               R"(\beyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?)", web_token_bytes},
    PiiPattern{secret,
               R"(-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----)"
               R"((?:[A-Za-z0-9+/=\r\n]*(?:-----END (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----)?)?)",
               R"(-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----)"
               R"((?:[A-Za-z0-9+/=\r\n]*(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----)?)?)",
               any_length},
};

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// 0: the text begins or ends there.
char32_t before(const PlacedMatch& match) {
    return match.begin == 0 ? 0 : character_before(match.text, match.begin).character;
}
char32_t after(const PlacedMatch& match) {
    return match.end >= match.text.size() ? 0 : character_at(match.text, match.end).character;
}

std::string only_digits(std::string_view text) {
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits), is_digit);
    return digits;
}

struct Between {
    char32_t first;
    char32_t last;
};
bool is_in(char32_t c, std::span<const Between> ranges) {
    return std::ranges::any_of(ranges,
                               [&](const Between& r) { return c >= r.first && c <= r.last; });
}

// Letters and digits of scripts that put spaces between words. What is missing here is signs,
// pictures, and the scripts of which no character says where a word ends.
bool belongs_to_words(char32_t c) {
    if (c < 0x80) return is_letter(c) || is_digit(c) || c == '_';
    constexpr std::array others{
        Between{0x80, 0xA9},       Between{0xAB, 0xB4},     Between{0xB6, 0xB9},
        Between{0xBB, 0xBF},       Between{0xD7, 0xD7},     Between{0xF7, 0xF7},
        Between{0xE00, 0xEFF},     Between{0x1000, 0x109F}, Between{0x1100, 0x115F},
        Between{0x1780, 0x17FF},   Between{0x2000, 0x206F}, Between{0x20A0, 0x20CF},
        Between{0x2190, 0x2BFF},   Between{0x2E00, 0xA4CF}, Between{0xAC00, 0xD7FF},
        Between{0xE000, 0xFAFF},   Between{0xFE10, 0xFE6F}, Between{0xFF00, 0xFF0F},
        Between{0xFF1A, 0xFF20},   Between{0xFF3B, 0xFFFF}, Between{0x1F000, 0x1FAFF},
        Between{0x20000, 0x10FFFF}};
    return !is_in(c, others);
}

struct CountryLength {
    std::string_view country;
    std::size_t length;
};
// Of the IBAN registry, in the order of the alphabet.
constexpr std::array iban_lengths{
    CountryLength{"AD", 24}, CountryLength{"AE", 23}, CountryLength{"AL", 28},
    CountryLength{"AT", 20}, CountryLength{"AZ", 28}, CountryLength{"BA", 20},
    CountryLength{"BE", 16}, CountryLength{"BG", 22}, CountryLength{"BH", 22},
    CountryLength{"BI", 27}, CountryLength{"BR", 29}, CountryLength{"BY", 28},
    CountryLength{"CH", 21}, CountryLength{"CR", 22}, CountryLength{"CY", 28},
    CountryLength{"CZ", 24}, CountryLength{"DE", 22}, CountryLength{"DJ", 27},
    CountryLength{"DK", 18}, CountryLength{"DO", 28}, CountryLength{"EE", 20},
    CountryLength{"EG", 29}, CountryLength{"ES", 24}, CountryLength{"FI", 18},
    CountryLength{"FK", 18}, CountryLength{"FO", 18}, CountryLength{"FR", 27},
    CountryLength{"GB", 22}, CountryLength{"GE", 22}, CountryLength{"GI", 23},
    CountryLength{"GL", 18}, CountryLength{"GR", 27}, CountryLength{"GT", 28},
    CountryLength{"HN", 28}, CountryLength{"HR", 21}, CountryLength{"HU", 28},
    CountryLength{"IE", 22}, CountryLength{"IL", 23}, CountryLength{"IQ", 23},
    CountryLength{"IS", 26}, CountryLength{"IT", 27}, CountryLength{"JO", 30},
    CountryLength{"KW", 30}, CountryLength{"KZ", 20}, CountryLength{"LB", 28},
    CountryLength{"LC", 32}, CountryLength{"LI", 21}, CountryLength{"LT", 20},
    CountryLength{"LU", 20}, CountryLength{"LV", 21}, CountryLength{"LY", 25},
    CountryLength{"MC", 27}, CountryLength{"MD", 24}, CountryLength{"ME", 22},
    CountryLength{"MK", 19}, CountryLength{"MN", 20}, CountryLength{"MR", 27},
    CountryLength{"MT", 31}, CountryLength{"MU", 30}, CountryLength{"NI", 28},
    CountryLength{"NL", 18}, CountryLength{"NO", 15}, CountryLength{"OM", 23},
    CountryLength{"PK", 24}, CountryLength{"PL", 28}, CountryLength{"PS", 29},
    CountryLength{"PT", 25}, CountryLength{"QA", 29}, CountryLength{"RO", 24},
    CountryLength{"RS", 22}, CountryLength{"RU", 33}, CountryLength{"SA", 24},
    CountryLength{"SC", 31}, CountryLength{"SD", 18}, CountryLength{"SE", 24},
    CountryLength{"SI", 19}, CountryLength{"SK", 24}, CountryLength{"SM", 27},
    CountryLength{"SO", 23}, CountryLength{"ST", 25}, CountryLength{"SV", 28},
    CountryLength{"TL", 23}, CountryLength{"TN", 24}, CountryLength{"TR", 26},
    CountryLength{"UA", 29}, CountryLength{"VA", 22}, CountryLength{"VG", 24},
    CountryLength{"XK", 20}, CountryLength{"YE", 30}};

}  // namespace

std::span<const PiiPattern> pii_patterns() { return patterns; }

bool passes_luhn(std::string_view digits) {
    int sum = 0;
    bool twice = false;
    for (auto c = digits.rbegin(); c != digits.rend(); ++c, twice = !twice) {
        const int digit = (*c - '0') * (twice ? 2 : 1);
        sum += digit > 9 ? digit - 9 : digit;
    }
    return !digits.empty() && sum % 10 == 0;
}

bool passes_iban(std::string_view iban) {
    const auto country =
        std::ranges::lower_bound(iban_lengths, iban.substr(0, 2), {}, &CountryLength::country);
    if (country == iban_lengths.end() || !iban.starts_with(country->country) ||
        iban.size() != country->length)
        return false;
    int remainder = 0;
    const auto add = [&](char c) {
        const int value = is_digit(static_cast<unsigned char>(c)) ? c - '0' : c - 'A' + 10;
        remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
    };
    std::ranges::for_each(iban.substr(4), add);
    std::ranges::for_each(iban.substr(0, 4), add);
    return remainder == 1;
}

bool is_whole_word(const PlacedMatch& match) {
    const char32_t first = character_at(match.text, match.begin).character;
    const char32_t last = character_before(match.text, match.end).character;
    const auto joined = [](char32_t a, char32_t b) {
        return b != 0 && belongs_to_words(a) && belongs_to_words(b);
    };
    return !joined(first, before(match)) && !joined(last, after(match));
}

bool is_email(const PlacedMatch& match) {
    const std::string_view local = match.matched().substr(0, match.matched().find('@'));
    const std::string_view domain = match.matched().substr(local.size() + 1);
    if (local.size() > 64 || domain.starts_with('.') || domain.contains("..")) return false;
    const char32_t next = after(match);
    return !is_letter(next) && !is_digit(next) && next != '-' && next != '@';
}

bool is_phone(const PlacedMatch& match, int least_digits, int most_digits) {
    const std::string_view matched = match.matched();
    const auto digits = std::ranges::count_if(matched, is_digit);
    const char32_t previous = before(match);
    return digits >= least_digits && digits <= most_digits && !belongs_to_words(previous) &&
           previous != '+' && !is_digit(after(match)) &&
           std::ranges::count(matched, '(') == std::ranges::count(matched, ')');
}

bool is_card(const PlacedMatch& match) {
    const std::string digits = only_digits(match.matched());
    return digits.size() >= 13 && digits.size() <= 19 && !is_digit(before(match)) &&
           !is_digit(after(match)) &&
           std::ranges::any_of(digits, [&](char c) { return c != digits.front(); }) &&
           passes_luhn(digits);
}

bool is_iban(const PlacedMatch& match) {
    if (belongs_to_words(before(match)) || belongs_to_words(after(match))) return false;
    std::string iban;
    for (const char c : match.matched())
        if (c != ' ' && c != '-') iban += is_letter(c) ? static_cast<char>(c & ~0x20) : c;
    return passes_iban(iban);
}

}  // namespace runnel::policy
