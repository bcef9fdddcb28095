#include "provider/anthropic/reasoning.hpp"

#include <algorithm>

namespace runnel::provider::anthropic {
namespace {

using chat::Effort;
using Mode = Reasoning::Mode;

constexpr std::int64_t budget_min = 1024;  // the API's own

std::string_view effort_for(Effort effort, const Traits& traits) {
    switch (effort) {
        case Effort::none:
        case Effort::minimal:
        case Effort::low: return "low";
        case Effort::medium: return "medium";
        case Effort::high: return "high";
        case Effort::xhigh: return traits.xhigh_effort ? "xhigh" : "max";
        case Effort::max: return "max";
    }
    return "high";
}

bool wants_none(const chat::ReasoningWish& wish) {
    return wish.effort == Effort::none || wish.budget_tokens == 0;
}

// The client's wish in the model's words, as if nothing else were asked.
Reasoning translated(const chat::ReasoningWish& wish, const Traits& traits) {
    const bool by_budget = traits.thinking == Traits::Thinking::budget ||
                           (traits.thinking == Traits::Thinking::either && wish.budget_tokens);
    if (!wish.effort && !wish.budget_tokens) return {};
    if (wants_none(wish))
        return {traits.off == Traits::ThinkingOff::said ? Mode::disabled : Mode::unsaid};
    if (by_budget) {
        const auto budget =
            wish.budget_tokens ? *wish.budget_tokens : chat::thinking_tokens(*wish.effort);
        return {Mode::budget, std::max(budget, budget_min)};
    }
    return {Mode::adaptive, 0, wish.effort ? effort_for(*wish.effort, traits) : std::string_view()};
}

}  // namespace

Reasoning plan_reasoning(const chat::Request& request, const Traits& traits, Budgets budgets,
                         Draft& draft) {
    const chat::ReasoningWish& wish = request.reasoning;
    Reasoning plan;
    const bool asked = wish.effort || wish.budget_tokens;
    if (traits.thinking != Traits::Thinking::never) plan = translated(wish, traits);
    // Who speaks this API and says only that the model should think means the model's own effort.
    if (draft.is_native() && wish.effort_is_implied) plan.effort = {};
    if (plan.mode == Mode::budget && budgets == Budgets::impossible) plan = {};

    plan.max_tokens = request.max_tokens.value_or(traits.output_default);
    // The client's limit is for the answer, and thinking comes on top of it; only in this API the
    // client has counted it in.
    if (plan.mode == Mode::budget && !draft.is_native() &&
        (request.max_tokens || traits.output_max == 0))
        plan.max_tokens += plan.budget;
    if (traits.output_max != 0 && plan.max_tokens > traits.output_max) {
        if (request.max_tokens > traits.output_max) draft.warn("clamped_max_tokens");
        plan.max_tokens = traits.output_max;
    }
    if (plan.mode == Mode::budget && plan.budget >= plan.max_tokens) {
        plan.budget = plan.max_tokens - 1;
        if (plan.budget < budget_min) plan = {.max_tokens = plan.max_tokens};
    }
    if (asked && !plan.on() && !wants_none(wish)) draft.warn("dropped_reasoning_effort");
    if (wants_none(wish) && traits.off == Traits::ThinkingOff::impossible)
        draft.warn("dropped_reasoning_effort");
    return plan;
}

}  // namespace runnel::provider::anthropic
