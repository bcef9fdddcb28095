#include "api/chat/reasoning.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>

namespace runnel::api {

Result<void> ReasoningFields::read_effort(Value& value) {
    if (value.is_object())  // as bridges from the Responses API write it
        return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
            return name == "effort" ? read_effort(field) : Result<void>();
        });
    auto name = value.text();
    if (!name) return propagate(name);
    if (*name == "default" || *name == "auto") return {};  // the model's own
    told_.effort = chat::effort_named(*name);
    if (told_.effort) return {};
    return value.wrong(fmt::format(
        "is {}; it must be one of none, minimal, low, medium, high, xhigh, max", in_quotes(*name)));
}

Result<void> ReasoningFields::read_reasoning(Value& value) {
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "effort") return read_effort(field);
        if (name == "max_tokens")
            return store(field.integer(0, limits::tokens_wish), told_.budget_tokens);
        if (name != "exclude" && name != "enabled") return {};
        auto on = field.boolean();
        if (!on) return propagate(on);
        if (name == "enabled")
            implied_effort_ = *on ? chat::Effort::medium : chat::Effort::none;
        else if (*on)
            told_.show = chat::ReasoningWish::Show::no;
        return {};
    });
}

Result<void> ReasoningFields::read_thinking(Value& value) {
    if (!value.is_object()) return {};  // a switch of some OpenAI-compatible server: passed on
    const std::string type = value.text_of("type");
    if (type == "disabled") implied_effort_ = chat::Effort::none;
    if (type == "enabled" || type == "adaptive") implied_effort_ = chat::Effort::medium;
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name != "budget_tokens") return {};
        return store(field.integer(0, limits::tokens_wish), told_.budget_tokens);
    });
}

Result<void> ReasoningFields::read_include(Value& value) {
    auto wish = value.boolean();
    if (!wish) return propagate(wish);
    if (!*wish) told_.show = chat::ReasoningWish::Show::no;
    return {};
}

chat::ReasoningWish ReasoningFields::wish() const {
    chat::ReasoningWish all = told_;
    if (!all.effort && !all.budget_tokens) {
        all.effort = implied_effort_;
        all.effort_is_implied = implied_effort_.has_value();
    }
    return all;
}

}  // namespace runnel::api
