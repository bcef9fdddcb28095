#pragma once

#include <string_view>

namespace runnel::guardrail {

// The checksum of card numbers; `digits` are nothing else.
bool passes_luhn(std::string_view digits);
// A bank account number in capitals, without spaces: its country's length, and the remainder 1.
bool passes_iban(std::string_view iban);

}  // namespace runnel::guardrail
