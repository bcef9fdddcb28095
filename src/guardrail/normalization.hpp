#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::guardrail {

// A text as it reads: characters that nobody sees are gone, and whatever looks like a space or a
// dash is one. Knows which place of the original is which of the normalized text, counted in bytes
// from the beginning; all of them are between characters.
class Normalization {
public:
    // The first character of `text` that is changed; the text's size when there is none.
    static std::size_t first_changed(std::string_view text);

    // Appends `original`, which begins at `original_begin`, to `normalized`, which ends at
    // `normalized_end`. Where nothing was appended before, the two places are taken for the same.
    // False: there are more changes than are remembered.
    [[nodiscard]] bool append(std::string_view original, std::uint64_t original_begin,
                              std::string& normalized, std::uint64_t normalized_end);

    // Where the character is in the original that begins, or ends, at this place of the normalized
    // text.
    std::uint64_t original_begin(std::uint64_t normalized) const;
    std::uint64_t original_end(std::uint64_t normalized) const;
    std::uint64_t normalized_at(std::uint64_t original) const;

    // Nobody will ask for a place before this one any more.
    void forget_before(std::uint64_t normalized);

private:
    struct Change {  // one character, or several that nobody sees
        std::uint64_t normalized_begin;
        std::uint64_t normalized_end;  // the same: nobody sees it
        std::uint64_t original_end;
    };
    std::vector<Change> changes_;  // in the order of the text
};

}  // namespace runnel::guardrail
