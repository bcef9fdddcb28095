#pragma once

#include "policy/guardrail_rule.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace runnel::policy {

// What must be true of what Hyperscan finds. All but the first two look one character beyond it.
enum class Confirmation {
    none,
    shape,  // that it begins as the pattern says
    whole_word,
    email,
    phone,
    card,
    iban,
};
constexpr bool needs_next_character(Confirmation confirmation) {
    return confirmation != Confirmation::none && confirmation != Confirmation::shape;
}

// A shape that personal data or credentials have.
struct PiiPattern {
    GuardrailRule::Pii pii;
    // What Hyperscan looks for: how a match ends.
    std::string_view ends;
    // The whole of it, for finding its beginning and for holding back what may become one. It may
    // match more than there is to find, but counts little: that keeps it small.
    std::string_view whole;
    std::uint32_t longest;  // bytes
    Confirmation confirmation = Confirmation::shape;
    int least_digits = 0;  // phone numbers
    int most_digits = 0;
};
std::span<const PiiPattern> pii_patterns();

// Where in a text a match is. `text` has the character before it and, unless the text ends there,
// the one after it.
struct PlacedMatch {
    std::string_view text;
    std::size_t begin;
    std::size_t end;
    std::string_view matched() const { return text.substr(begin, end - begin); }
};

bool is_whole_word(const PlacedMatch& match);
bool is_email(const PlacedMatch& match);
bool is_phone(const PlacedMatch& match, int least_digits, int most_digits);
bool is_card(const PlacedMatch& match);
bool is_iban(const PlacedMatch& match);

// The checksum of card numbers; `digits` are nothing else.
bool passes_luhn(std::string_view digits);
// A bank account number in capitals, without spaces: its country's length, and the remainder 1.
bool passes_iban(std::string_view iban);

}  // namespace runnel::policy
