#include "exchange/rounds/strict_review.hpp"

#include "tools/rounds/conversation.hpp"
#include "tools/rounds/strict_calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace runnel::exchange {
namespace {

constexpr int attempts_max = 3;

using Problems = std::vector<std::string>;

tools::ToolOutcome told_to_model(const Problems& problems) {
    tools::ToolOutcome outcome{.kind = tools::ToolOutcome::Kind::failed};
    outcome.text = problems.empty()
                       ? "Not run, because another call beside it was not valid. Call it again."
                       : fmt::format("Not run, because its arguments do not fit its schema:\n- {}\n"
                                     "Call it again with all of its arguments as they should be.",
                                     fmt::join(problems, "\n- "));
    return outcome;
}

}  // namespace

void StrictReview::CallHold::on(const timeline::Event& event) {
    const bool of_call = std::holds_alternative<timeline::ToolStarted>(event) ||
                         std::holds_alternative<timeline::ToolArguments>(event) ||
                         std::holds_alternative<timeline::ToolEnded>(event);
    if (of_call) {
        calls_.on(event);
        return;
    }
    if (std::holds_alternative<timeline::Started>(event)) calls_.clear();
    to_->on(event);
}

void StrictReview::CallHold::release() {
    calls_.replay(to_);
    calls_.clear();
}

StrictReview::StrictReview(chat::Request* request, timeline::Sink* client)
    : request_(request),
      hold_(client) {}

AnswerReview::Result StrictReview::review(const tools::RoundFilter& round) {
    std::vector<Problems> problems;
    for (const tools::RoundFilter::Call& call : round.client_calls())
        problems.push_back(tools::strict_problems(*request_, call));
    const auto wrong = std::ranges::find_if_not(problems, &Problems::empty);
    if (wrong == problems.end()) {
        hold_.release();
        return Result::told;
    }
    if (++attempts_ == attempts_max) {
        const auto at = static_cast<std::size_t>(wrong - problems.begin());
        return give_up(ErrorKind::tool_call_invalid_arguments,
                       fmt::format("the model called the strict tool '{}' with arguments that do "
                                   "not fit its schema, in {} attempts",
                                   round.client_calls()[at].name, attempts_),
                       fmt::format("; the last: {}", fmt::join(*wrong, "; ")));
    }
    std::vector<tools::ToolOutcome> outcomes;
    for (const Problems& each : problems) outcomes.push_back(told_to_model(each));
    tools::add_turn(request_, {round.text_escaped(), round.reasoning_escaped(),
                               round.client_calls(), outcomes});
    return Result::ask_again;
}

}  // namespace runnel::exchange
