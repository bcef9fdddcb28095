#include "server/accepted.hpp"

#include <algorithm>
#include <ranges>

namespace runnel::server {

bool lists(std::string_view values, std::string_view wanted) {
    return std::ranges::any_of(std::views::split(values, ','), [&](auto part) {
        std::string_view value(part.begin(), part.end());
        value = value.substr(0, value.find(';'));
        const std::size_t begin = std::min(value.find_first_not_of(' '), value.size());
        const std::size_t end = value.find_last_not_of(' ') + 1;
        return value.substr(begin, end - begin) == wanted;
    });
}

}  // namespace runnel::server
