#include "exchange/attempts/continuation.hpp"

#include "base/limits.hpp"
#include "json/text.hpp"

#include <algorithm>

namespace runnel::exchange {
namespace {

bool is_thought(const timeline::Event& event) {
    return std::holds_alternative<timeline::Reasoning>(event) ||
           std::holds_alternative<timeline::ReasoningSigned>(event) ||
           std::holds_alternative<timeline::ReasoningEncrypted>(event);
}

}  // namespace

void SeenText::on(const timeline::Event& event) {
    if (!only_text_) return;
    if (const auto* text = std::get_if<timeline::Text>(&event)) {
        json::append_unescaped(text_, text->text);
        only_text_ = text->choice == 0 && text_.size() <= limits::continuation_bytes;
    } else if (timeline::is_visible(event) || std::holds_alternative<timeline::Logprobs>(event)) {
        only_text_ = false;
    }
    if (!only_text_) text_ = {};
}

Continuation::Continuation(std::string_view seen, timeline::Sink* to) : seen_(seen), to_(to) {}

void Continuation::on(const timeline::Event& event) {
    if (differs_) return;
    if (const auto* text = std::get_if<timeline::Text>(&event)) {
        on_text(*text);
    } else if (caught_up()) {
        // Thoughts come before what is said; here that was said already.
        if (!is_thought(event)) to_->on(event);
    } else if (std::holds_alternative<timeline::UsageReported>(event)) {
        to_->on(event);
    } else if (timeline::is_visible(event)) {
        differs_ = !is_thought(event);
    }
}

void Continuation::on_text(const timeline::Text& event) {
    if (caught_up() && event.choice == 0) {
        to_->on(event);
        return;
    }
    const std::string text = json::unescaped(event.text);
    const std::size_t count = std::min(text.size(), seen_.size() - repeated_);
    if (event.choice != 0 || std::string_view(seen_).substr(repeated_, count) !=
                                 std::string_view(text).substr(0, count)) {
        differs_ = true;
        return;
    }
    repeated_ += count;
    if (count == text.size()) return;
    std::string rest;
    json::append_escaped(rest, std::string_view(text).substr(count));
    to_->on(timeline::Text{event.choice, rest});
}

}  // namespace runnel::exchange
