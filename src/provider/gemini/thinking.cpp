#include "provider/gemini/thinking.hpp"

#include <algorithm>
#include <array>

namespace runnel::provider::gemini {
namespace {

using chat::Effort;

enum class Level { minimal, low, medium, high };
constexpr std::array<std::string_view, 4> level_names{"minimal", "low", "medium", "high"};

Level lowest_level(const Model& model) {
    const bool has_minimal = model.size != Model::Size::pro && model.version < 37;
    return has_minimal ? Level::minimal : Level::low;
}

Level level_for(Effort effort) {
    switch (effort) {
        case Effort::none:
        case Effort::minimal: return Level::minimal;
        case Effort::low: return Level::low;
        case Effort::medium: return Level::medium;
        default: return Level::high;
    }
}

Level level_for_budget(std::int64_t tokens) {
    if (tokens <= 0) return Level::minimal;
    if (tokens <= 1024) return Level::low;
    return tokens <= 8192 ? Level::medium : Level::high;
}

// The most that still leaves room for an answer, judged by what the levels use in practice.
Level level_within(std::int64_t max_tokens) {
    if (max_tokens < 1024) return Level::minimal;
    if (max_tokens < 4096) return Level::low;
    return max_tokens < 16384 ? Level::medium : Level::high;
}

std::optional<Thinking> by_level(const Model& model, const chat::ReasoningWish& wish,
                                 std::optional<std::int64_t> max_tokens) {
    std::optional<Level> level;
    if (wish.effort) {
        level = level_for(*wish.effort);
    } else if (wish.budget_tokens) {
        level = level_for_budget(*wish.budget_tokens);
    }
    const Level bound = level_within(max_tokens.value_or(INT64_MAX));
    if (!level && bound == Level::high) return std::nullopt;
    // The first Gemini 3 Pro knows no medium.
    const bool has_medium = model.version != 30 || model.size != Model::Size::pro;
    if (level == Level::medium && !has_medium) level = Level::high;
    Level chosen = std::min(level.value_or(Level::high), bound);
    if (chosen == Level::medium && !has_medium) chosen = Level::low;
    return Thinking{
        .level = level_names[static_cast<std::size_t>(std::max(chosen, lowest_level(model)))]};
}

std::int64_t least_budget(const Model& model) {
    switch (model.size) {
        case Model::Size::pro: return 128;
        case Model::Size::flash_lite: return 512;
        default: return 1;
    }
}

std::int64_t budget_for(Effort effort, const Model& model, std::int64_t most) {
    switch (effort) {
        case Effort::none: return 0;
        case Effort::minimal: return least_budget(model);
        case Effort::low: return 1024;
        case Effort::medium: return 2048;
        case Effort::high: return 4096;
        default: return most;
    }
}

std::optional<Thinking> by_budget(const Model& model, const chat::ReasoningWish& wish,
                                  std::optional<std::int64_t> max_tokens) {
    constexpr std::int64_t usual = 8192;  // what a model left to itself may use
    const std::int64_t most = model.size == Model::Size::pro ? 32768 : 24576;
    const std::int64_t bound = max_tokens ? *max_tokens / 2 : most;
    std::int64_t budget = usual;
    if (wish.budget_tokens) {
        budget = *wish.budget_tokens;
    } else if (wish.effort) {
        budget = budget_for(*wish.effort, model, most);
    } else if (bound >= usual || model.size == Model::Size::flash_lite) {
        return std::nullopt;  // enough room, or a model that does not think unless asked to
    }
    budget = std::clamp<std::int64_t>(budget, 0, std::min(bound, most));
    // Pro can't stop thinking; the others think with no less than their least, or not at all.
    if (budget < least_budget(model)) budget = model.size == Model::Size::pro ? 128 : 0;
    return Thinking{.budget = budget};
}

}  // namespace

std::optional<Thinking> thinking_for(const Model& model, const chat::ReasoningWish& wish,
                                     std::optional<std::int64_t> max_tokens) {
    if (!model.thinks) return std::nullopt;
    auto thinking =
        model.has_levels() ? by_level(model, wish, max_tokens) : by_budget(model, wish, max_tokens);
    const bool asked =
        wish.effort.value_or(Effort::none) != Effort::none || wish.budget_tokens.value_or(0) > 0;
    if (thinking)
        thinking->shown =
            asked && thinking->budget != 0 && wish.show == chat::ReasoningWish::Show::yes;
    return thinking;
}

}  // namespace runnel::provider::gemini
