#include "exchange/rounds/tool_runs.hpp"

#include "base/limits.hpp"
#include "http/as_error.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "tools/rounds/explanation.hpp"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <deque>
#include <exception>

namespace runnel::exchange {

namespace asio = boost::asio;
using asio::awaitable;
using http::Stop;
using tools::ToolOutcome;
using State = timeline::ServerTool::State;

namespace {

std::string as_json_string(std::string_view text) {
    std::string json = "\"";
    json::append_escaped(json, text);
    return json + '"';
}

ToolOutcome failure(std::string text) {
    std::string json = as_json_string(text);
    return {ToolOutcome::Kind::failed, std::move(text), std::move(json)};
}

bool is_object(std::string_view json) { return json.starts_with('{') && json::is_whole(json); }

}  // namespace

// The calls of one round, shared by those who run them and the one who waits.
struct ToolRuns::Batch {
    struct Item {
        tools::ToolBox::Offered tool;
        tools::ToolCall call;
        std::size_t number = 0;
        std::string id{};
        std::string explanation_json{};
        ToolRuns::Clock::time_point began{};
        Stop stop{};
        ToolOutcome outcome{};
    };

    Batch(const tools::ToolBox* box, const asio::any_io_executor& executor)
        : tools(box),
          bell(executor) {}

    const tools::ToolBox* tools;
    std::deque<Item> items;
    asio::steady_timer bell;
    std::deque<std::size_t> ended;  // and not told of yet
    std::size_t open = 0;
};

ToolRuns::ToolRuns(http::TaskGroup* tasks, MemoryBudget* memory, const Attempts::Client& client,
                   const tools::ToolBox* tools)
    : tasks_(tasks),
      transaction_(client.transaction),
      record_(client.record),
      reply_(client.reply),
      tools_(tools),
      memory_(memory) {}

awaitable<std::vector<ToolOutcome>>
ToolRuns::run(std::vector<Run> runs, const chat::Request* request, Clock::time_point deadline) {
    const auto batch = std::make_shared<Batch>(tools_, tasks_->executor());
    for (Run& run : runs) {
        Batch::Item& item = batch->items.emplace_back();
        item.tool = *run.tool;
        item.number = ++count_;
        item.id = fmt::format("srv_{}", item.number);
        item.call = {.name = run.tool->own_name,
                     .arguments_json = std::move(run.arguments_json),
                     .call_id = run.call->id,
                     .user = request->end_user(),
                     .metadata_json = std::string(request->metadata_raw)};
        if (const auto& trace = record_->trace; trace.exists())
            item.call.traceparent = trace.traceparent_of(telemetry::tool_span(trace, item.number));
        if (item.call.arguments_json.empty()) item.call.arguments_json = "{}";
        if (request->gateway.tool_invocation_explanations == chat::Wish::yes) {
            auto taken = tools::take_explanation(std::move(item.call.arguments_json));
            item.call.arguments_json = std::move(taken.arguments_json);
            item.explanation_json = std::move(taken.explanation_json);
        }
        co_await tell(batch.get(), batch->items.size() - 1, State::created);
    }
    // What a guardrail objects to is not done either.
    if (reply_->is_cut()) co_return std::vector<ToolOutcome>();

    const Stop* stop = transaction_->stop;
    const Stop::Guard guard(transaction_->stop,
                            [batch, stop] { stop_all(batch.get(), stop->reason()); });
    std::size_t next = 0;
    while (next < batch->items.size() || batch->open > 0 || !batch->ended.empty()) {
        if (!batch->ended.empty()) {
            const std::size_t at = batch->ended.front();
            batch->ended.pop_front();
            keep_result(batch.get(), at);
            note_end(batch.get(), at);
            const bool well = batch->items[at].outcome.kind == ToolOutcome::Kind::completed;
            co_await tell(batch.get(), at, well ? State::completed : State::failed);
        } else if (next < batch->items.size() && batch->open < limits::parallel_tools) {
            const std::size_t at = next++;
            ++batch->open;
            batch->items[at].began = Clock::now();
            co_await tell(batch.get(), at, State::running);
            tasks_->start("tool", run_one(batch, at));
        } else {
            batch->bell.expires_at(deadline);
            const auto [rung] = co_await batch->bell.async_wait(as_error);
            if (rung) continue;
            deadline = Clock::time_point::max();
            stop_all(batch.get(), Stop::Reason::total_timeout);
        }
    }
    std::vector<ToolOutcome> outcomes;
    for (Batch::Item& item : batch->items) outcomes.push_back(std::move(item.outcome));
    co_return outcomes;
}

void ToolRuns::stop_all(Batch* batch, Stop::Reason reason) {
    for (Batch::Item& item : batch->items) item.stop.request(reason);
    batch->bell.cancel();
}

awaitable<void> ToolRuns::run_one(std::shared_ptr<Batch> batch, std::size_t at) {
    Batch::Item& item = batch->items[at];
    std::exception_ptr broken;
    try {
        if (is_object(item.call.arguments_json)) {
            item.outcome = co_await batch->tools->run(item.tool, item.call, &item.stop);
        } else {
            item.outcome = failure("the arguments are not a JSON object");
        }
    } catch (...) {
        // The task group tells the log; whoever waits for the tool goes on without it.
        broken = std::current_exception();
        item.outcome = failure("the tool failed inside the gateway");
    }
    --batch->open;
    batch->ended.push_back(at);
    batch->bell.cancel();
    if (broken) std::rethrow_exception(broken);
}

// The model can go on without one.
void ToolRuns::keep_result(Batch* batch, std::size_t at) {
    ToolOutcome& outcome = batch->items[at].outcome;
    const std::size_t bytes = outcome.text.size() + outcome.result_json.size();
    if (memory_.hold(result_bytes_ + bytes)) {
        result_bytes_ += bytes;
    } else {
        outcome = failure("the gateway has no memory left for the result");
    }
}

void ToolRuns::note_end(const Batch* batch, std::size_t at) {
    const Batch::Item& item = batch->items[at];
    telemetry::ToolRecord& record = record_->tools.emplace_back(item.tool.spec.name);
    record.time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - item.began);
    record.started =
        telemetry::age_of(*record_) - std::chrono::floor<std::chrono::milliseconds>(record.time);
    record.number = item.number;
    // Not why: tools quote what they were asked.
    if (item.outcome.kind == ToolOutcome::Kind::failed) record.error = "failed";
}

awaitable<void> ToolRuns::tell(const Batch* batch, std::size_t at, State state) {
    const Batch::Item& item = batch->items[at];
    const std::string& written = item.call.arguments_json;
    const std::string arguments = is_object(written) ? written : as_json_string(written);
    timeline::ServerTool event{state, item.id, item.tool.spec.name, arguments};
    event.explanation_raw = item.explanation_json;
    if (state == State::completed || state == State::failed)
        event.result_raw = item.outcome.result_json;
    reply_->on(event);
    if (reply_->has_output() && !reply_->flush()) co_await reply_->wait_for_client();
}

}  // namespace runnel::exchange
