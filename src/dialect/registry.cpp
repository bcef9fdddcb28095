#include "dialect/registry.hpp"

#include <array>

namespace runnel::dialect {
namespace {

using Get = const Dialect& (*)();

#define RUNNEL_GET(name) Get(&name),
constexpr std::array dialects{RUNNEL_DIALECTS(RUNNEL_GET)};
#undef RUNNEL_GET

}  // namespace

const Dialect* dialect_named(std::string_view name) {
    for (const Get get : dialects)
        if (get().name() == name) return &get();
    return nullptr;
}

std::span<const std::string_view> names() {
    static const auto all = [] {
        std::array<std::string_view, dialects.size()> list;
        for (std::size_t i = 0; i < list.size(); ++i) list[i] = dialects[i]().name();
        return list;
    }();
    return all;
}

}  // namespace runnel::dialect
