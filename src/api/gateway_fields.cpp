#include "api/gateway_fields.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace runnel::api {
namespace {

constexpr std::size_t names_max = 256;  // each is kept

std::unexpected<Error> too_many_names(const Value& list) {
    return list.wrong(fmt::format("has more than {} names", names_max));
}

}  // namespace

Result<void> read_guardrails(Value& value, chat::GatewayWishes& wishes) {
    auto& asked = wishes.guardrails;
    if (value.is_object())
        return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
            auto wanted = field.boolean();
            if (!wanted) return propagate(wanted);
            if (asked.size() == names_max) return too_many_names(value);
            if (*wanted) asked.emplace_back(name);
            return {};
        });
    if (!value.is_array())
        return value.must_be("an array of names, or an object such as {\"pii\":true}");
    return value.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
        if (index == names_max) return too_many_names(value);
        return store(element.text(), asked.emplace_back());
    });
}

Result<void> read_timeout(const Value& value, chat::GatewayWishes& wishes) {
    auto count = value.integer(1, limits::timeout_wish.count());
    if (!count) return propagate(count);
    wishes.timeout = std::chrono::milliseconds(*count);
    return {};
}

Result<void> read_metadata(Value& value, chat::Request& request) {
    request.metadata_raw = value.raw();
    return value.for_each_field([](std::string_view, Value& field) -> Result<void> {
        return field.is_string() ? Result<void>() : field.must_be("a string");
    });
}

}  // namespace runnel::api
