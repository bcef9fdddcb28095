#pragma once

#include "chat/request.hpp"
#include "provider/anthropic/draft.hpp"
#include "provider/anthropic/models.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace runnel::provider::anthropic {

// How a request asks for reasoning, and how many tokens it may have in all.
struct Reasoning {
    enum class Mode { unsaid, disabled, adaptive, budget } mode = Mode::unsaid;
    std::int64_t budget = 0;
    std::string_view effort{};  // adaptive only
    std::int64_t max_tokens = 0;

    bool on() const { return mode == Mode::adaptive || mode == Mode::budget; }
};

// What the rest of the request allows. With a budget the API takes neither a forced tool nor a last
// tool turn whose thinking is lost.
enum class Budgets { possible, impossible };

Reasoning plan_reasoning(const chat::Request& request, const Traits& traits, Budgets budgets,
                         Draft& draft);

}  // namespace runnel::provider::anthropic
