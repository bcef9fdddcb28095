#include "config/sections/sections.hpp"

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_metrics[] = {"access"};
constexpr std::string_view access_names[] = {"admin", "open"};

std::optional<Config::MetricsAccess> read_access(const Value& value) {
    const auto name = value.one_of(access_names);
    if (!name) return std::nullopt;
    return *name == "open" ? Config::MetricsAccess::open : Config::MetricsAccess::admin;
}

}  // namespace

std::optional<Config::MetricsAccess> read_metrics_access(const Value& value) {
    const auto section = value.section(keys_of_metrics);
    if (!section) return std::nullopt;
    Config::MetricsAccess access{};
    section->read("access", read_access, access);
    return access;
}

}  // namespace runnel::config
