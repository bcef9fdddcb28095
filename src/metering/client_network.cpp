#include "metering/client_network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace runnel::metering {
namespace {

constexpr std::size_t groups_of_address = 8;
constexpr std::size_t groups_of_network = 4;

// The groups on one side of "::".
std::vector<std::uint16_t> groups_of(std::string_view text) {
    std::vector<std::uint16_t> groups;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(':'), text.size());
        std::uint16_t group = 0;
        std::from_chars(text.data(), text.data() + end, group, 16);
        groups.push_back(group);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return groups;
}

}  // namespace

std::string client_network(std::string_view address) {
    if (address.find(':') == std::string_view::npos) return std::string(address);
    // ::ffff:192.0.2.7 is an IPv4 address.
    if (address.find('.') != std::string_view::npos)
        return std::string(address.substr(address.rfind(':') + 1));
    address = address.substr(0, address.find('%'));
    const std::size_t gap = address.find("::");
    std::vector<std::uint16_t> groups = groups_of(address.substr(0, gap));
    if (gap != std::string_view::npos) {
        const auto behind = groups_of(address.substr(gap + 2));
        groups.resize(std::max(groups_of_address - std::min(groups_of_address, behind.size()),
                               groups.size()));
        groups.insert(groups.end(), behind.begin(), behind.end());
    }
    groups.resize(groups_of_network);
    return fmt::format("{:x}::/64", fmt::join(groups, ":"));
}

}  // namespace runnel::metering
