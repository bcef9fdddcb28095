#include "exchange/rounds/json_review.hpp"

#include "json/text.hpp"
#include "tools/rounds/conversation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

using timeline::Finish;

namespace {

constexpr ErrorKind unsatisfied = ErrorKind::response_schema_unsatisfied;

}  // namespace

JsonReview::JsonReview(tools::JsonContract contract, chat::Request* request, timeline::Sink* client)
    : contract_(contract),
      request_(request),
      hold_(contract_.binding() ? JsonHold::Belief::nobody : JsonHold::Belief::provider, client) {
    if (const std::string instruction = contract_.instruction(); !instruction.empty())
        tools::add_system_text(request_, instruction, tools::SystemPlace::last);
}

AnswerReview::Result JsonReview::review(const tools::RoundFilter& round) {
    if (!hold_.holds()) return Result::told;
    // What the client has to do for the model comes before its answer.
    if (!round.client_calls().empty()) return tell(round, round.text_escaped());
    if (hold_.refused())
        return contract_.bare() ? give_up(unsatisfied, "the model refused to answer")
                                : tell(round, round.text_escaped());
    ++attempts_;
    const auto verdict = contract_.examine(round.text_escaped(), round.finish());
    if (verdict.good()) {
        std::string escaped;
        json::append_escaped(escaped, verdict.json);
        return tell(round, escaped);
    }
    // Asked again, the model would be stopped again.
    if (round.finish() == Finish::length || round.finish() == Finish::content_filter) {
        if (!contract_.binding()) return tell(round, round.text_escaped());
        return give_up(unsatisfied,
                       round.finish() == Finish::length
                           ? "the answer was cut off at the token limit before its JSON was "
                             "complete; allow more with max_tokens"
                           : "the provider's content filter stopped the answer");
    }
    if (attempts_ < contract_.attempts()) {
        tools::add_reply_to(request_, round.text_escaped(), contract_.correction(verdict.problems));
        return Result::ask_again;
    }
    return give_up(unsatisfied,
                   fmt::format("the model gave no JSON that fits, in {} attempt{}", attempts_,
                               attempts_ == 1 ? "" : "s"),
                   fmt::format("; the last: {}", fmt::join(verdict.problems, "; ")));
}

AnswerReview::Result JsonReview::tell(const tools::RoundFilter& round,
                                      std::string_view text_escaped) {
    hold_.tell(round.reasoning_escaped(), text_escaped);
    return Result::told;
}

}  // namespace runnel::exchange
