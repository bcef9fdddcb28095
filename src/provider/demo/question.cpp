#include "provider/demo/question.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

#include <algorithm>

namespace runnel::provider::demo {
namespace {

constexpr std::size_t topic_bytes_max = 200;

constexpr std::string_view spaces = " \t\r\n";
constexpr std::string_view quotes = "\"'`";
constexpr std::string_view ends = "\"'`.,;:!?";
constexpr std::string_view digits = "0123456789";
constexpr std::string_view operators = "+-*/^%";
constexpr std::string_view letters_of_sums = "0123456789+-*/^%(). ";

bool is_url(std::string_view word) {
    return word.starts_with("http://") || word.starts_with("https://");
}

bool is_address(std::string_view word) { return word.starts_with("0x") && word.size() > 2; }

bool is_sum(std::string_view text) {
    return text.find_first_of(digits) != text.npos && text.find_first_of(operators) != text.npos &&
           text.find_first_not_of(letters_of_sums) == text.npos;
}

// Has a folder or a suffix in it: `notes/` or `rivers.txt`.
bool is_path(std::string_view word) {
    if (is_url(word) || is_sum(word)) return false;
    const std::size_t dot = word.rfind('.');
    return word.contains('/') || (dot != word.npos && dot > 0);
}

}  // namespace

Question::Question(std::string_view text) : text_(text) {
    for (std::size_t from = text.find_first_not_of(spaces); from < text.size();) {
        const std::size_t end = std::min(text.find_first_of(spaces, from), text.size());
        std::string_view word = text.substr(from, end - from);
        while (!word.empty() && quotes.contains(word.front())) word.remove_prefix(1);
        while (!word.empty() && ends.contains(word.back())) word.remove_suffix(1);
        if (!word.empty()) words_.push_back(word);
        from = text.find_first_not_of(spaces, end);
    }
}

std::string_view Question::topic() const { return utf8_prefix(text_, topic_bytes_max); }

std::string_view Question::mention_of(std::string_view word) const {
    const auto found = std::ranges::find_if(words_, [&](std::string_view each) {
        if (each.size() == word.size() + 1 && each.ends_with('s')) each.remove_suffix(1);
        return ascii::equal_ignoring_case(each, word);
    });
    return found == words_.end() ? std::string_view() : *found;
}

std::string_view Question::value_for(std::string_view argument) const {
    const auto first = [&](auto fits) {
        const auto found = std::ranges::find_if(words_, fits);
        return found == words_.end() ? std::string_view() : *found;
    };
    if (argument.contains("url") || argument.contains("uri")) return first(is_url);
    if (argument.contains("address")) return first(is_address);
    if (argument.contains("path") || argument.contains("file")) return first(is_path);
    if (argument.contains("expression")) return first_sum();
    return {};
}

// Words of a sum may stand apart from each other: `(2 + 3) * 4`.
std::string_view Question::first_sum() const {
    std::string_view sum;
    for (const std::string_view word : words_) {
        const std::size_t begin = sum.empty() ? place_of(word) : place_of(sum);
        const auto joined = text_.substr(begin, place_of(word) + word.size() - begin);
        if (joined.find_first_not_of(letters_of_sums) == joined.npos) {
            sum = joined;
            continue;
        }
        if (is_sum(sum)) return sum;
        sum = word;  // only one that is_sum() agrees with is ever returned
    }
    return is_sum(sum) ? sum : std::string_view();
}

}  // namespace runnel::provider::demo
