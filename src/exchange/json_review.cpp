#include "exchange/json_review.hpp"

#include "json/text.hpp"
#include "tools/rounds/conversation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace runnel::exchange {

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
