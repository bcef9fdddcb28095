#include "api/registry.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace runnel::api {
namespace {

using Get = const Api& (*)();

#define RUNNEL_GET(name) Get(&name##_api),
constexpr std::array apis{RUNNEL_APIS(RUNNEL_GET)};
#undef RUNNEL_GET

void add_names(const Api& api, std::vector<std::string_view>& names) {
    for (const Dialect* dialect : api.dialects()) names.push_back(dialect->name());
}

}  // namespace

const Api* api_named(std::string_view name) {
    for (const Get get : apis)
        if (get().name() == name) return &get();
    return nullptr;
}

const Dialect* dialect_named(const Api& api, std::string_view name) {
    const auto dialects = api.dialects();
    const auto found = std::ranges::find(dialects, name, &Dialect::name);
    return found == dialects.end() ? nullptr : *found;
}

const Dialect* dialect_named(std::string_view name) {
    for (const Get get : apis)
        if (const Dialect* found = dialect_named(get(), name)) return found;
    return nullptr;
}

std::span<const std::string_view> api_names() {
    static const auto all = [] {
        std::vector<std::string_view> names;
        for (const Get get : apis) names.push_back(get().name());
        return names;
    }();
    return all;
}

std::span<const std::string_view> dialect_names() {
    static const auto all = [] {
        std::vector<std::string_view> names;
        for (const Get get : apis) add_names(get(), names);
        return names;
    }();
    return all;
}

std::span<const std::string_view> chat_dialect_names() {
    static const auto all = [] {
        std::vector<std::string_view> names;
        add_names(chat_api(), names);
        return names;
    }();
    return all;
}

}  // namespace runnel::api
