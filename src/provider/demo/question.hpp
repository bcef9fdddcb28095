#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace runnel::provider::demo {

// What a demo model understands of a question: which words are in it, and what in it could be an
// argument of a tool. A view: the text must outlive it.
class Question {
public:
    explicit Question(std::string_view text);

    // Its beginning, short enough to be an argument itself.
    std::string_view topic() const;

    // The word where it is mentioned, in any case and also with an s at its end; empty if nowhere.
    std::string_view mention_of(std::string_view word) const;

    // What an argument of this name could be: a URL, an address on a chain, a path or a sum, if the
    // name asks for one of those and the question has it; else empty.
    std::string_view value_for(std::string_view argument) const;

    // Where such a part begins.
    std::size_t place_of(std::string_view part) const {
        return static_cast<std::size_t>(part.data() - text_.data());
    }

private:
    std::string_view first_sum() const;

    std::string_view text_;
    std::vector<std::string_view> words_;
};

}  // namespace runnel::provider::demo
