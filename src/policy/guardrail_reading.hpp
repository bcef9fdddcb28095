#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::policy {

// How a text reads, as opposed to how it is written: characters that nobody sees are gone, and
// whatever looks like a space or a dash is one. Knows which place of the one is which of the other,
// counted in bytes from the text's beginning; all of them are between characters.
class GuardrailReading {
public:
    // The first character of `text` that does not read as it is written; the text's size when there
    // is none.
    static std::size_t first_odd(std::string_view text);

    // Appends to `seen`, which ends at `seen_end`, how `written` reads, which begins at
    // `written_begin`. Where nothing was appended before, the two places are taken for the same.
    // False: there is more to remember than anybody would.
    [[nodiscard]] bool append(std::string_view written, std::uint64_t written_begin,
                              std::string& seen, std::uint64_t seen_end);

    // Where the character is written that is seen to begin, or to end, at this place.
    std::uint64_t written_begin(std::uint64_t seen) const;
    std::uint64_t written_end(std::uint64_t seen) const;
    std::uint64_t seen_at(std::uint64_t written) const;

    // Nobody will ask for a place before this one any more.
    void forget_before(std::uint64_t seen);

private:
    struct Change {  // one character, or several that nobody sees
        std::uint64_t seen_begin;
        std::uint64_t seen_end;  // the same: nobody sees it
        std::uint64_t written_end;
    };
    std::vector<Change> changes_;  // in the order of the text
};

}  // namespace runnel::policy
