#include "exchange/json_hold.hpp"

namespace runnel::exchange {
namespace {

// Where the first character stands that is no white space.
std::size_t first_letter(std::string_view escaped) {
    std::size_t at = 0;
    while (at < escaped.size()) {
        const std::string_view next = escaped.substr(at, 2);
        if (next == "\\n" || next == "\\t" || next == "\\r") {
            at += 2;
        } else if (next.front() == ' ') {
            ++at;
        } else {
            break;
        }
    }
    return at;
}

}  // namespace

void JsonHold::on(const timeline::Event& event) {
    std::visit(timeline::Overload{
                   [&](const timeline::Started& e) { begin(e); },
                   [&](const timeline::Text& e) { watch(e); },
                   [&](const timeline::Finished&) { to_->on(event); },
                   [&](const timeline::UsageReported&) { to_->on(event); },
                   [&](const timeline::Ended&) { to_->on(event); },
                   [&](const auto&) { keep(event); },
               },
               event);
}

void JsonHold::begin(const timeline::Started& event) {
    held_.clear();
    refused_ = false;
    const bool believed =
        belief_ == Belief::provider && event.form == timeline::Started::Form::kept;
    state_ = believed ? State::watching : State::holding;
    to_->on(event);
}

void JsonHold::watch(const timeline::Text& event) {
    if (state_ == State::watching) {
        const std::size_t at = first_letter(event.text);
        if (at == event.text.size()) return;  // space before the JSON says nothing
        const char letter = event.text[at];
        state_ = letter == '{' || letter == '[' ? State::passing : State::holding;
    }
    if (state_ == State::passing) to_->on(event);
}

void JsonHold::keep(const timeline::Event& event) {
    if (state_ != State::holding) {
        to_->on(event);
        return;
    }
    // Signatures of single thoughts and log probabilities of single tokens would not fit what is
    // told anew, in one piece each.
    const bool is_told_anew = std::holds_alternative<timeline::Reasoning>(event) ||
                              std::holds_alternative<timeline::ReasoningSigned>(event) ||
                              std::holds_alternative<timeline::ReasoningEncrypted>(event) ||
                              std::holds_alternative<timeline::ItemEnded>(event) ||
                              std::holds_alternative<timeline::Logprobs>(event);
    if (!is_told_anew) held_.on(event);
    if (std::holds_alternative<timeline::Refusal>(event)) refused_ = true;
}

void JsonHold::tell(std::string_view reasoning_escaped, std::string_view text_escaped) {
    if (!reasoning_escaped.empty()) to_->on(timeline::Reasoning{0, reasoning_escaped});
    if (!text_escaped.empty()) to_->on(timeline::Text{0, text_escaped});
    held_.replay(to_);
    held_.clear();
}

}  // namespace runnel::exchange
