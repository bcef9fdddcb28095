#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace runnel::tools {

// The value of an expression such as "2 * (3 + 4) ^ 2 - sqrt(16)". Operators: + - * / % ^ (or **),
// with the usual precedence; -2 ^ 2 is -4, and 2 ^ 3 ^ 2 is 2 ^ 9. An error says what is wrong and
// where. Any text is safe to give.
Result<double> calculate(std::string_view expression);

// Whole numbers in full as far as they are exact, else 15 digits. Also legal JSON.
std::string write_number(double number);

}  // namespace runnel::tools
