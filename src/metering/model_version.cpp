#include "metering/model_version.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace runnel::metering {
namespace {

constexpr std::size_t version_digits_min = 3;  // 001, 0905, 20250514; claude-opus-4-1 is no version

bool is_number(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, ascii::is_digit);
}

bool is_stage(std::string_view word) {
    return word == "latest" || word == "preview" || word == "exp" || word == "beta";
}

}  // namespace

bool is_version_suffix(std::string_view rest) {
    if (rest.empty() || (rest.front() != '-' && rest.front() != '@')) return false;
    bool is_first = true;
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const std::size_t end = std::min(rest.find_first_of("-@"), rest.size());
        const std::string_view word = rest.substr(0, end);
        if (!is_number(word) && !is_stage(word)) return false;
        if (is_first && is_number(word) && word.size() < version_digits_min) return false;
        is_first = false;
        rest.remove_prefix(end);
    }
    return true;
}

bool is_version_of(std::string_view asked, std::string_view model) {
    if (asked.size() < model.size() ||
        !ascii::equal_ignoring_case(asked.substr(0, model.size()), model))
        return false;
    const std::string_view rest = asked.substr(model.size());
    return rest.empty() || rest == ":latest" || is_version_suffix(rest);
}

}  // namespace runnel::metering
