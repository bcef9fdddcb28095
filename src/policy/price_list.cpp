#include "policy/price_list.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::policy {
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

void PriceList::set(std::string_view kind, std::string_view model, const Price& price) {
    prices_.insert_or_assign(fmt::format("{}/{}", kind, model), price);
}

std::optional<Price> PriceList::find(std::string_view kind, std::string_view model) const {
    const std::string name = fmt::format("{}/{}", kind, model);
    const std::size_t model_at = kind.size() + 1;
    std::size_t end = name.size();
    while (true) {
        const std::string_view part = std::string_view(name).substr(0, end);
        const bool same = end == name.size();
        if (same || is_version_suffix(std::string_view(name).substr(end)))
            if (const auto found = prices_.find(part); found != prices_.end()) return found->second;
        const std::size_t cut = part.find_last_of("-@");
        if (cut == std::string_view::npos || cut <= model_at) return std::nullopt;
        end = cut;
    }
}

}  // namespace runnel::policy
