#include "exchange/rounds/tool_loop.hpp"

#include "exchange/shutting_down.hpp"
#include "json/text.hpp"
#include "tools/rounds/conversation.hpp"
#include "tools/rounds/explanation.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace runnel::exchange {

using boost::asio::awaitable;
using Clock = std::chrono::steady_clock;

ToolLoop::ToolLoop(Attempts::Means means, Attempts::Client client, const tools::ToolBox* tools,
                   chat::Request* request, router::Route* route, std::vector<AnswerReview*> reviews)
    : means_(std::move(means)),
      client_(client),
      tools_(tools),
      request_(request),
      route_(route),
      reviews_(std::move(reviews)),
      names_(server_tools(*route, *request)),
      filter_(
          [this](std::string_view name) {
              return std::ranges::any_of(offered_, [&](const tools::ToolBox::Offered& tool) {
                  return tool.spec.name == name;
              });
          },
          reviews_.empty() ? static_cast<timeline::Sink*>(client.reply) : reviews_.front()->sink()),
      runs_(&means_.worker->tasks, means_.memory, client, tools),
      rounds_left_(route->max_tool_rounds) {}

ToolLoop::~ToolLoop() { client_.reply->hold_while(nullptr); }

awaitable<void> ToolLoop::run() {
    if (auto offered = co_await offer_tools(); !offered) {
        co_await client_.reply->fail(stopped() ? shutting_down() : std::move(offered.error()));
        co_return;
    }
    Step step = Step::next_round;
    while (step == Step::next_round) {
        step = co_await round();
        if (step == Step::answered && !client_.reply->is_cut()) step = co_await review_answer();
    }
    if (step == Step::failed) {
        // The rounds before have been paid for.
        filter_.close_round();
        using enum telemetry::RequestRecord::Provenance;
        if (filter_.used() && client_.record->usage_provenance == none)
            client_.record->usage = filter_.used();
        co_return;
    }
    filter_.end();
    co_await client_.reply->finish();
}

awaitable<Result<void>> ToolLoop::offer_tools() {
    if (!names_.empty())
        if (auto added = co_await add_tools(); !added) co_return added;
    text_calls_ = make_text_calls(*route_, *request_, &means_.worker->ids, &filter_);
    if (text_calls_)
        client_.reply->hold_while([calls = text_calls_.get()] { return calls->is_holding(); });
    co_return Result<void>{};
}

awaitable<Result<void>> ToolLoop::add_tools() {
    if (auto known = check_names(); !known) co_return known;
    auto offer = co_await tools_->offer(names_, client_.transaction->stop);
    if (offer.missing) co_return fail(std::move(*offer.missing));
    offered_ = std::move(offer.tools);
    if (auto fits = check_request(); !fits) co_return fits;
    client_.conversation->recall_hidden(request_);
    std::vector<tools::ToolSpec> specs;
    for (const tools::ToolBox::Offered& tool : offered_) {
        specs.push_back(tool.spec);
        std::string& parameters = specs.back().parameters_json;
        if (request_->gateway.tool_invocation_explanations == chat::Wish::yes)
            parameters = tools::with_explanation(std::move(parameters));
    }
    tools::add_tools(request_, specs);
    co_return Result<void>{};
}

Result<void> ToolLoop::check_names() const {
    const std::vector<std::string> known =
        tools_ != nullptr ? tools_->names() : std::vector<std::string>();
    // What a client asks for has been looked at; this is what the model's defaults say.
    for (const std::string& name : names_)
        if (std::ranges::find(known, name) == known.end())
            return fail_at(ErrorKind::invalid_value, "builtin_tools.tools",
                           fmt::format("there is no tool '{}'; correct the defaults of the model "
                                       "'{}' in the gateway's config",
                                       name, route_->name));
    return {};
}

Result<void> ToolLoop::check_request() const {
    if (request_->choices() > 1)
        return fail_at(
            ErrorKind::unsupported_parameter, "n",
            fmt::format("the model '{}' runs tools, and gives one answer at a time", route_->name));
    for (std::size_t i = 0; i < request_->tools.size(); ++i)
        for (const tools::ToolBox::Offered& tool : offered_)
            if (request_->tools[i].name == tool.spec.name)
                return fail_at(ErrorKind::tool_schema_invalid,
                               fmt::format("tools[{}].function.name", i),
                               fmt::format("the model '{}' has a tool '{}' of its own; give yours "
                                           "another name",
                                           route_->name, tool.spec.name));
    return {};
}

awaitable<ToolLoop::Step> ToolLoop::round() {
    client_.conversation->recall_states(request_);
    // Who has begun goes on: what the client has seen is that target's.
    if (client_.reply->has_shown() && scope() == router::FailoverScope::stream)
        route_->targets.resize(1);
    client_.reply->begin_round(filter_.used());
    ++client_.record->rounds;
    timeline::Sink* listener = &filter_;
    if (text_calls_) listener = text_calls_.get();
    {
        Attempts attempts(means_, client_, request_, route_, listener, Attempts::Afterwards::keep);
        if (co_await attempts.run() == Attempts::Outcome::failed) co_return Step::failed;
        stay_with(attempts.served_by());
    }
    filter_.close_round();
    // A model that may not call any more and does so all the same has said what it has to say.
    if (filter_.own_calls().empty() || rounds_left_ <= 0 || client_.reply->is_cut())
        co_return Step::answered;
    co_await run_calls();
    co_return co_await next_step();
}

awaitable<ToolLoop::Step> ToolLoop::next_step() {
    if (stopped()) {
        co_await client_.reply->fail(shutting_down());
        co_return Step::failed;
    }
    if (!filter_.client_calls().empty() || client_.reply->is_cut()) co_return Step::answered;
    co_return co_await another_round();
}

awaitable<ToolLoop::Step> ToolLoop::another_round() {
    if (Clock::now() >= deadline()) {
        co_await client_.reply->fail(
            {ErrorKind::upstream_timeout,
             fmt::format("the answer took longer than the request's own time-out of {}",
                         *timeout())});
        co_return Step::failed;
    }
    if (!may_go_on_) co_return Step::next_round;
    auto may = co_await may_go_on_(filter_.used());
    if (may) co_return Step::next_round;
    co_await client_.reply->fail(std::move(may.error()));
    co_return Step::failed;
}

router::FailoverScope ToolLoop::scope() const {
    const router::Policy policy = route_->policy.or_else(means_.gateway->policy);
    return policy.failover_scope.value_or(router::FailoverScope::stream);
}

std::optional<std::chrono::milliseconds> ToolLoop::timeout() const {
    if (request_->gateway.timeout) return request_->gateway.timeout;
    return route_->policy.or_else(means_.gateway->policy).timeout;
}

Clock::time_point ToolLoop::deadline() const {
    const auto time = timeout();
    return time ? client_.budget->begun + *time : Clock::time_point::max();
}

awaitable<ToolLoop::Step> ToolLoop::review_answer() {
    for (AnswerReview* review : reviews_) {
        const auto result = review->review(filter_);
        if (result == AnswerReview::Result::ask_again) co_return co_await another_round();
        if (result == AnswerReview::Result::told) continue;
        co_await client_.reply->fail(review->failure());
        co_return Step::failed;
    }
    co_return Step::answered;
}

awaitable<void> ToolLoop::run_calls() {
    std::vector<ToolRuns::Run> runs;
    for (const tools::RoundFilter::Call& call : filter_.own_calls()) {
        const auto tool = std::ranges::find_if(
            offered_, [&](const auto& offered) { return offered.spec.name == call.name; });
        std::string arguments = json::unescaped(call.arguments_escaped);
        if (onlooker_) co_await onlooker_->before_call(&arguments);
        runs.push_back({&call, &*tool, std::move(arguments)});
        if (client_.reply->is_cut() || stopped()) co_return;
    }
    auto outcomes = co_await runs_.run(std::move(runs), request_, deadline());
    if (client_.reply->is_cut()) co_return;  // nobody will be told of them
    if (onlooker_)
        for (tools::ToolOutcome& outcome : outcomes) co_await onlooker_->after_call(&outcome.text);
    if (stopped()) co_return;
    if (!filter_.client_calls().empty()) {
        std::vector<tools::HiddenTurns::Result> hidden;
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            hidden.push_back({filter_.own_calls()[i], std::move(outcomes[i].text)});
        client_.conversation->keep_hidden(filter_.client_calls(), std::move(hidden));
        co_return;
    }
    tools::add_turn(request_, {filter_.text_escaped(), filter_.reasoning_escaped(),
                               filter_.own_calls(), outcomes});
    tools::allow_answer(request_);
    // Once it has had its rounds, the model must answer with what it has.
    if (--rounds_left_ == 0) tools::forbid_tools(request_);
}

// Its own calls are best understood by whoever made them.
void ToolLoop::stay_with(std::size_t target) {
    auto& targets = route_->targets;
    const auto served = targets.begin() + static_cast<std::ptrdiff_t>(target);
    std::rotate(targets.begin(), served, served + 1);
    route_->policy.strategy = router::Strategy::failover;
}

std::vector<std::string> server_tools(const router::Route& route, const chat::Request& request) {
    std::vector<std::string> names;
    if (route.tools != nullptr) names = *route.tools;
    for (const std::string& name : request.gateway.builtin_tools)
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    return names;
}

std::unique_ptr<tools::TextCalls> make_text_calls(const router::Route& route,
                                                  const chat::Request& request, IdSource* ids,
                                                  timeline::Sink* to) {
    if (!route.text_tool_calls || request.tools.empty() ||
        request.tool_choice.kind == chat::ToolChoice::Kind::none)
        return nullptr;
    std::vector<std::string> names;
    for (const chat::Tool& tool : request.tools) names.push_back(tool.name);
    return std::make_unique<tools::TextCalls>(
        std::move(names), [ids] { return ids->next("call_"); }, to);
}

}  // namespace runnel::exchange
