#include "guardrail/detectors/pii.hpp"

#include "guardrail/registry.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace runnel::guardrail {
namespace {

// In the order of their shapes below, which decides what a span of two kinds is called.
constexpr std::array<std::string_view, 5> kinds_of_data{"email", "card", "iban", "phone", "secret"};

constexpr std::uint32_t any_length = PatternGraph::any_length;
// A text in base64 that goes on and on is no token.
constexpr std::uint32_t web_token_bytes = 3000;

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string only_digits(std::string_view text) {
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits), is_digit);
    return digits;
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

bool is_email(const PlacedMatch& match) {
    const std::string_view local = match.matched().substr(0, match.matched().find('@'));
    const std::string_view domain = match.matched().substr(local.size() + 1);
    if (local.size() > 64 || domain.starts_with('.') || domain.contains("..")) return false;
    const char32_t next = match.after();
    return !is_letter(next) && !is_digit(next) && next != '-' && next != '@';
}

template <int least_digits, int most_digits>
bool is_phone(const PlacedMatch& match) {
    const std::string_view matched = match.matched();
    const auto digits = std::ranges::count_if(matched, is_digit);
    const char32_t previous = match.before();
    return digits >= least_digits && digits <= most_digits && !belongs_to_words(previous) &&
           previous != '+' && !is_digit(match.after()) &&
           std::ranges::count(matched, '(') == std::ranges::count(matched, ')');
}

bool is_card(const PlacedMatch& match) {
    const std::string digits = only_digits(match.matched());
    return digits.size() >= 13 && digits.size() <= 19 && !is_digit(match.before()) &&
           !is_digit(match.after()) &&
           std::ranges::any_of(digits, [&](char c) { return c != digits.front(); }) &&
           passes_luhn(digits);
}

bool is_iban(const PlacedMatch& match) {
    if (belongs_to_words(match.before()) || belongs_to_words(match.after())) return false;
    std::string iban;
    for (const char c : match.matched())
        if (c != ' ' && c != '-') iban += is_letter(c) ? static_cast<char>(c & ~0x20) : c;
    return passes_iban(iban);
}

// Groups of digits stand apart by a space or a dash; typographic ones read as these do. A group of
// a card number has three digits at least: columns of small numbers are no cards.
constexpr std::string_view card_end = R"(\d(?:[ -]?\d){12})";
constexpr std::string_view card_whole = R"(\d\d\d+(?:[ -]\d\d\d+)*)";

// A shape that personal data or credentials have (Shape).
struct PiiShape {
    std::string_view kind;
    std::string_view ends;
    std::string_view whole;
    std::uint32_t longest;  // bytes
    bool (*confirms)(const PlacedMatch& match) = nullptr;
};

constexpr std::array shapes_of_data{
    PiiShape{"email", R"([A-Za-z0-9._%+'-]@[A-Za-z0-9.-]{1,80}\.[A-Za-z]{2,24})",
             R"([A-Za-z0-9._%+'-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2}[A-Za-z]*)", 160, is_email},
    PiiShape{"card", card_end, card_whole, 24, is_card},
    PiiShape{"iban", R"([A-Za-z]{2}\d\d(?:[ -]?[A-Za-z0-9]){11,30})",
             R"(\b[A-Za-z]{2}\d\d(?:[ -]?[A-Za-z0-9])+)", 44, is_iban},
    // +49 (0)30 1234567, +1 415-555-2671, 0033 1 23 45 67 89
    PiiShape{"phone", R"((?:\+|00)[1-9](?:[ ./-]?\(?\d\)?){6,14})",
             R"((?:\+|\b00)[1-9](?:[ ./-]?\(?\d\)?)+)", 40, is_phone<8, 15>},
    // (415) 555-2671, 1-415-555-2671
    PiiShape{"phone", R"([2-9]\d\d(?:[ .-]|\)[ -]?)[2-9]\d\d[ .-]\d{4})",
             R"((?:\b1[ .-])?(?:\([2-9]\d\d\)[ -]?|\b[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4})", 16,
             is_phone<10, 11>},
    // 030 1234567, (0171) 123 45 67, 020 7946 0958
    PiiShape{"phone", R"(0\d{1,4}\)?[ /-]\d{3}(?:[ -]?\d){2,9})",
             R"((?:\(0\d{1,4}\)|\b0\d{1,4})[ /-]\d{3}\d*(?:[ -]\d+)*)", 30, is_phone<9, 12>},
    // 01 23 45 67 89
    PiiShape{"phone", R"(0[1-9](?:[ .-]\d\d){4})", R"(\b0[1-9](?:[ .-]\d\d){4})", 14,
             is_phone<10, 10>},
    PiiShape{"secret", "[sr]k-[A-Za-z0-9_-]{20,}", R"(\b[sr]k-[A-Za-z0-9_-]+)", any_length},
    PiiShape{"secret", "[srp]k_(?:live|test)_[A-Za-z0-9]{16,}",
             R"(\b[srp]k_(?:live|test)_[A-Za-z0-9]+)", any_length},
    PiiShape{"secret", "A[KS]IA[A-Z0-9]{16}", R"(\bA[KS]IA[A-Z0-9]+)", 20, is_whole_word},
    PiiShape{"secret", "gh[pousr]_[A-Za-z0-9]{36,}", R"(\bgh[pousr]_[A-Za-z0-9]+)", any_length},
    PiiShape{"secret", "github_pat_[A-Za-z0-9_]{22,}", R"(\bgithub_pat_[A-Za-z0-9_]+)", any_length},
    PiiShape{"secret", "glpat-[A-Za-z0-9_-]{20,}", R"(\bglpat-[A-Za-z0-9_-]+)", any_length},
    PiiShape{"secret", "hf_[A-Za-z0-9]{30,}", R"(\bhf_[A-Za-z0-9]+)", any_length},
    PiiShape{"secret", "xox[abeoprs]-[A-Za-z0-9-]{10,}", R"(\bxox[abeoprs]-[A-Za-z0-9-]+)",
             any_length},
    PiiShape{"secret", "AIza[A-Za-z0-9_-]{35}", R"(\bAIza[A-Za-z0-9_-]+)", 39},
    // A JSON Web Token: two JSON objects in base64, and a signature.
    PiiShape{"secret", R"(eyJ[A-Za-z0-9_-]{10,400}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)",
             R"(\beyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?)", web_token_bytes},
    PiiShape{"secret",
             R"(-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----)"
             R"((?:[A-Za-z0-9+/=\r\n]*(?:-----END (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----)?)?)",
             R"(-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----)"
             R"((?:[A-Za-z0-9+/=\r\n]*(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----)?)?)",
             any_length},
};

class PiiDetector final : public Detector {
public:
    std::string_view key() const override { return "pii"; }
    std::span<const std::string_view> choices() const override { return kinds_of_data; }

    std::expected<Shapes, std::string> shapes(std::string_view item) const override {
        Shapes found;
        for (const PiiShape& shape : shapes_of_data) {
            if (shape.kind != item) continue;
            auto whole = read_pattern(shape.whole);
            if (!whole) return std::unexpected(std::move(whole.error()));
            found.push_back({.category = std::string(shape.kind),
                             .ends = std::string(shape.ends),
                             .whole = std::move(*whole),
                             .longest = shape.longest,
                             .confirms = shape.confirms});
        }
        return found;
    }
};

}  // namespace

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

const Detector& pii_detector() {
    static const PiiDetector detector;
    return detector;
}

}  // namespace runnel::guardrail
