#pragma once

#include <optional>

namespace runnel::policy {

// A letter that Unicode can also write as another one and a mark: é as e and U+0301.
struct SplitLetter {
    char32_t base;  // may be such a letter again
    char32_t mark;
};
std::optional<SplitLetter> split_letter(char32_t letter);
std::optional<char32_t> joined_letter(SplitLetter split);

}  // namespace runnel::policy
