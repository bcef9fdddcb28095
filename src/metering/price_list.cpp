#include "metering/price_list.hpp"

#include "metering/model_version.hpp"

#include <fmt/format.h>

namespace runnel::metering {

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

}  // namespace runnel::metering
