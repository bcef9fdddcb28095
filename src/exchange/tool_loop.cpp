#include "exchange/tool_loop.hpp"

#include "agent/conversation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::exchange {

using boost::asio::awaitable;
using Clock = std::chrono::steady_clock;

ToolLoop::ToolLoop(const Attempts::Setting& setting, const agent::ToolBox* tools,
                   chat::Request* request, router::Route* route, JsonReview* review)
    : setting_(setting),
      tools_(tools),
      request_(request),
      route_(route),
      review_(review),
      filter_(
          [this](std::string_view name) {
              return std::ranges::any_of(offered_, [&](const agent::ToolBox::Offered& tool) {
                  return tool.spec.name == name;
              });
          },
          review == nullptr ? static_cast<timeline::Sink*>(setting.reply) : review->sink()),
      runs_(setting.worker, setting.transaction, setting.reply, tools),
      rounds_left_(route->max_tool_rounds) {}

awaitable<void> ToolLoop::run() {
    if (auto offered = co_await offer_tools(); !offered) {
        co_await setting_.reply->fail(stopped() ? shutting_down() : std::move(offered.error()));
        co_return;
    }
    Step step = Step::next_round;
    while (step == Step::next_round) {
        step = co_await round();
        if (step == Step::answered && review_ != nullptr) step = co_await review_answer();
    }
    if (step == Step::failed) {
        // What the rounds before took is not lost.
        if (filter_.usage()) setting_.record->usage = filter_.usage();
        co_return;
    }
    filter_.end();
    co_await setting_.reply->finish();
}

awaitable<Result<void>> ToolLoop::offer_tools() {
    if (route_->tools == nullptr) co_return Result<void>{};
    auto offer = co_await tools_->offer(*route_->tools, setting_.transaction->stop);
    if (offer.missing) co_return fail(std::move(*offer.missing));
    offered_ = std::move(offer.tools);
    if (auto fits = check_request(); !fits) co_return fits;
    setting_.shared->hidden_turns.recall(request_, Clock::now());
    std::vector<agent::ToolSpec> specs;
    for (const agent::ToolBox::Offered& tool : offered_) specs.push_back(tool.spec);
    agent::add_tools(request_, specs);
    co_return Result<void>{};
}

Result<void> ToolLoop::check_request() const {
    if (request_->n > 1)
        return fail_at(
            ErrorKind::unsupported_parameter, "n",
            fmt::format("the model '{}' runs tools, and gives one answer at a time", route_->name));
    for (std::size_t i = 0; i < request_->tools.size(); ++i)
        for (const agent::ToolBox::Offered& tool : offered_)
            if (request_->tools[i].name == tool.spec.name)
                return fail_at(ErrorKind::tool_schema_invalid,
                               fmt::format("tools[{}].function.name", i),
                               fmt::format("the model '{}' has a tool '{}' of its own; give yours "
                                           "another name",
                                           route_->name, tool.spec.name));
    return {};
}

awaitable<ToolLoop::Step> ToolLoop::round() {
    setting_.shared->continuity.recall(request_, Clock::now());
    // Who has begun goes on: what the client has seen is that target's.
    if (setting_.reply->has_shown()) route_->targets.resize(1);
    setting_.reply->keep_answer();
    {
        Attempts attempts(setting_, request_, route_, &filter_, Attempts::Afterwards::keep);
        if (co_await attempts.run() == Attempts::Outcome::failed) co_return Step::failed;
        stay_with(attempts.served_by());
    }
    filter_.close_round();
    // A model that may not call any more and does so all the same has said what it has to say.
    if (filter_.own_calls().empty() || rounds_left_ <= 0) co_return Step::answered;
    co_await run_calls();
    if (stopped()) {
        co_await setting_.reply->fail(shutting_down());
        co_return Step::failed;
    }
    co_return filter_.client_calls().empty() ? Step::next_round : Step::answered;
}

awaitable<ToolLoop::Step> ToolLoop::review_answer() {
    switch (review_->review(filter_)) {
        case JsonReview::Result::told: co_return Step::answered;
        case JsonReview::Result::ask_again: co_return Step::next_round;
        case JsonReview::Result::given_up: break;
    }
    co_await setting_.reply->fail(review_->failure());
    co_return Step::failed;
}

awaitable<void> ToolLoop::run_calls() {
    std::vector<ToolRuns::Run> runs;
    for (const agent::RoundFilter::Call& call : filter_.own_calls()) {
        const auto tool = std::ranges::find_if(
            offered_, [&](const auto& offered) { return offered.spec.name == call.name; });
        runs.push_back({&call, &*tool});
    }
    auto outcomes = co_await runs_.run(std::move(runs), request_);
    if (!filter_.client_calls().empty()) {
        std::vector<agent::HiddenTurns::Result> hidden;
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            hidden.push_back({filter_.own_calls()[i], std::move(outcomes[i].text)});
        setting_.shared->hidden_turns.remember(filter_.client_calls(), std::move(hidden),
                                               Clock::now());
        co_return;
    }
    agent::add_turn(request_, {filter_.text_escaped(), filter_.reasoning_escaped(),
                               filter_.own_calls(), outcomes});
    // Once it has had its rounds, the model must answer with what it has.
    if (--rounds_left_ == 0) agent::forbid_tools(request_);
}

// Its own calls are best understood by whoever made them.
void ToolLoop::stay_with(std::size_t target) {
    auto& targets = route_->targets;
    const auto served = targets.begin() + static_cast<std::ptrdiff_t>(target);
    std::rotate(targets.begin(), served, served + 1);
    route_->policy.strategy = router::Strategy::failover;
}

}  // namespace runnel::exchange
