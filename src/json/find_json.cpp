#include "json/find_json.hpp"

#include "base/utf8.hpp"
#include "json/lenient.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace runnel::json {
namespace {

constexpr std::string_view white_space = " \t\r\n";
constexpr std::string_view fence = "```";
constexpr std::size_t values_max = 8;
constexpr int misses_max = 32;  // brackets that begin no JSON; each costs a look at what follows

// The bracket at `open` and what it encloses, strings aside: where the rest begins. npos when it is
// never closed.
std::size_t after_bracket(std::string_view text, std::size_t open) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t at = open; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\\' && in_string) {
            ++at;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '{' || c == '[')) {
            ++depth;
        } else if (!in_string && (c == '}' || c == ']') && --depth == 0) {
            return at + 1;
        }
    }
    return std::string_view::npos;
}

// Prose has brackets of its own: [1], [ ], {}.
bool is_telling(std::string_view value) {
    return value.size() > 2 &&
           (value.starts_with('{') || value.find_first_of("{[\"", 1) != std::string_view::npos);
}

class Search {
public:
    explicit Search(TextEnd end) : most_(end == TextEnd::own ? Forgive::end : Forgive::slips) {}

    // A text that is nothing but a value.
    bool take_whole(std::string_view text, Forgive most) {
        for (Forgive forgive = Forgive::nothing; forgive <= most; forgive = more(forgive)) {
            std::string value;
            const auto end = read_value(text, forgive, value);
            if (!end || text.find_first_not_of(white_space, *end) != std::string_view::npos)
                continue;
            if (forgive == Forgive::end && !is_telling(value)) return false;
            keep(std::move(value));
            return true;
        }
        return false;
    }

    void look_into(std::string_view text) {
        std::size_t at = text.find_first_of("{[");
        for (int misses = 0; at != std::string_view::npos && misses < misses_max;) {
            std::size_t end = value_at(text, at);
            if (end == at) {
                ++misses;
                // Not into it: a part of something broken is not what was meant.
                end = after_bracket(text, at);
                if (end == std::string_view::npos) return;
            }
            if (objects_.size() + others_.size() == values_max) return;
            at = text.find_first_of("{[", end);
        }
    }

    void look_into_fences(std::string_view text) {
        std::size_t open = text.find(fence);
        while (open != std::string_view::npos) {
            // Behind the fence the language may be named.
            const std::size_t line = text.find('\n', open);
            const std::size_t word = text.find_first_of("{[", open);
            const std::size_t begin = std::min(line, word);
            if (begin == std::string_view::npos) return;
            const std::size_t close = closing_fence(text, begin);
            const std::string_view block = text.substr(begin, close - begin);
            if (!take_whole(block, most_)) look_into(block);
            open = close == text.size() ? close : text.find(fence, close + fence.size());
        }
    }

    std::vector<std::string> take() {
        objects_.insert(objects_.end(), std::make_move_iterator(others_.begin()),
                        std::make_move_iterator(others_.end()));
        return std::move(objects_);
    }
    bool found() const { return !objects_.empty() || !others_.empty(); }

private:
    static Forgive more(Forgive forgive) {
        return static_cast<Forgive>(static_cast<int>(forgive) + 1);
    }

    void keep(std::string value) {
        (value.starts_with('{') ? objects_ : others_).push_back(std::move(value));
    }

    // Where the value ends that begins at `at`; there, if there is none.
    std::size_t value_at(std::string_view text, std::size_t at) {
        for (Forgive forgive = Forgive::nothing; forgive <= most_; forgive = more(forgive)) {
            std::string value;
            const auto length = read_value(text.substr(at), forgive, value);
            if (!length) continue;
            if (is_telling(value)) keep(std::move(value));
            return at + *length;
        }
        return at;
    }

    // A fence closes at the beginning of a line; where there is none, at the end of one.
    static std::size_t closing_fence(std::string_view text, std::size_t from) {
        for (std::size_t at = from; (at = text.find(fence, at)) != std::string_view::npos; ++at) {
            const std::size_t before = text.find_last_not_of(" \t", at - 1);
            if (before == std::string_view::npos || text[before] == '\n') return at;
        }
        const std::size_t last = text.rfind(fence);
        return last != std::string_view::npos && last > from ? last : text.size();
    }

    Forgive most_;
    std::vector<std::string> objects_;  // likelier than others
    std::vector<std::string> others_;
};

}  // namespace

std::vector<std::string> find_json(std::string_view text, TextEnd end) {
    if (!is_utf8(text)) return {};
    // Some models think aloud first.
    constexpr std::string_view thought = "</think>";
    if (const auto at = text.rfind(thought); at != std::string_view::npos)
        text.remove_prefix(at + thought.size());
    Search search(end);
    if (search.take_whole(text, Forgive::nothing)) return search.take();
    search.look_into_fences(text);
    if (!search.found()) search.look_into(text);
    return search.take();
}

}  // namespace runnel::json
