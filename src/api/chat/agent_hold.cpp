#include "api/chat/agent_hold.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"

namespace runnel::api {
namespace {

constexpr std::string_view fence = "```";

// How many characters an escaped text stands for.
std::size_t characters_in(std::string_view escaped) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < escaped.size(); ++count) {
        if (escaped[i] == '\\') {
            i += escaped.substr(i).starts_with("\\u") ? 6 : 2;
            continue;
        }
        do ++i;
        while (i < escaped.size() && (static_cast<unsigned char>(escaped[i]) & 0xC0) == 0x80);
    }
    return count;
}

std::string_view without_leading_space(std::string_view escaped) {
    while (true) {
        if (escaped.starts_with(' '))
            escaped.remove_prefix(1);
        else if (escaped.starts_with("\\n") || escaped.starts_with("\\r") ||
                 escaped.starts_with("\\t"))
            escaped.remove_prefix(2);
        else
            return escaped;
    }
}

}  // namespace

AgentHold::AgentHold(Envelope::Hold hold) : hold_(hold), open_(hold == Envelope::Hold::none) {}

bool AgentHold::keep(const timeline::Event& event) {
    const auto* text = std::get_if<timeline::Text>(&event);
    const bool begins = text != nullptr || std::holds_alternative<timeline::Logprobs>(event);
    if (!begins && kept_.empty()) return false;
    kept_.on(event);
    if (text != nullptr) count(text->text);
    return true;
}

bool AgentHold::is_over() const {
    if (hold_ == Envelope::Hold::round) return characters_ >= limits::held_round_characters;
    if (may_be_a_call()) return characters_ >= limits::held_call_characters;
    return time_is_over_ || characters_ >= limits::held_characters;
}

void AgentHold::open() {
    open_ = true;
    kept_.clear();
}

void AgentHold::begin_round() {
    open_ = hold_ == Envelope::Hold::none;
    time_is_over_ = false;
    kept_.clear();
    opening_.clear();
    characters_ = 0;
}

void AgentHold::count(std::string_view text_escaped) {
    characters_ += characters_in(text_escaped);
    if (opening_.empty()) text_escaped = without_leading_space(text_escaped);
    if (opening_.size() < fence.size())
        opening_ += text_escaped.substr(0, fence.size() - opening_.size());
}

// Models that can't call tools write JSON, perhaps in a fence, or tags.
bool AgentHold::may_be_a_call() const {
    if (opening_.empty()) return false;
    switch (opening_.front()) {
        case '{':
        case '[': return true;
        case '<':
            return opening_.size() == 1 || opening_[1] == '|' || ascii::is_letter(opening_[1]);
        default: return fence.starts_with(opening_);
    }
}

}  // namespace runnel::api
