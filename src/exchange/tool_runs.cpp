#include "exchange/tool_runs.hpp"

#include "base/limits.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace runnel::exchange {

namespace asio = boost::asio;
using agent::ToolOutcome;
using asio::awaitable;
using http::Stop;
using State = timeline::ServerTool::State;

namespace {

constexpr auto as_error = asio::as_tuple(asio::use_awaitable);

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
        agent::ToolBox::Offered tool;
        agent::ToolCall call;
        std::string id;
        Stop stop{};
        ToolOutcome outcome{};
    };

    Batch(const agent::ToolBox* box, const asio::any_io_executor& executor)
        : tools(box),
          bell(executor) {}

    const agent::ToolBox* tools;
    std::deque<Item> items;
    asio::steady_timer bell;
    std::deque<std::size_t> ended;  // and not told of yet
    std::size_t open = 0;
};

ToolRuns::ToolRuns(Worker* worker, http::Transaction* transaction, Reply* reply,
                   const agent::ToolBox* tools)
    : worker_(worker),
      transaction_(transaction),
      reply_(reply),
      tools_(tools) {}

awaitable<std::vector<ToolOutcome>> ToolRuns::run(std::vector<Run> runs,
                                                  const chat::Request* request) {
    const auto batch = std::make_shared<Batch>(tools_, worker_->executor());
    for (const Run& run : runs) {
        Batch::Item& item = batch->items.emplace_back();
        item.tool = *run.tool;
        item.id = fmt::format("srv_{}", ++count_);
        item.call = {.name = run.tool->own_name,
                     .arguments_json = json::unescaped(run.call->arguments_escaped),
                     .call_id = run.call->id,
                     .user = request->user,
                     .metadata_json = {}};
        if (item.call.arguments_json.empty()) item.call.arguments_json = "{}";
        co_await tell(batch.get(), batch->items.size() - 1, State::created);
    }

    const Stop* stop = transaction_->stop;
    const Stop::Guard guard(transaction_->stop, [batch, stop] {
        for (Batch::Item& item : batch->items) item.stop.request(stop->reason());
        batch->bell.cancel();
    });
    std::size_t next = 0;
    while (next < batch->items.size() || batch->open > 0 || !batch->ended.empty()) {
        if (!batch->ended.empty()) {
            const std::size_t at = batch->ended.front();
            batch->ended.pop_front();
            const bool well = batch->items[at].outcome.kind == ToolOutcome::Kind::completed;
            co_await tell(batch.get(), at, well ? State::completed : State::failed);
        } else if (next < batch->items.size() && batch->open < limits::parallel_tools) {
            const std::size_t at = next++;
            ++batch->open;
            co_await tell(batch.get(), at, State::running);
            worker_->tasks.start("tool", run_one(batch, at));
        } else {
            batch->bell.expires_at(asio::steady_timer::time_point::max());
            co_await batch->bell.async_wait(as_error);
        }
    }
    std::vector<ToolOutcome> outcomes;
    for (Batch::Item& item : batch->items) outcomes.push_back(std::move(item.outcome));
    co_return outcomes;
}

awaitable<void> ToolRuns::run_one(std::shared_ptr<Batch> batch, std::size_t at) {
    Batch::Item& item = batch->items[at];
    if (is_object(item.call.arguments_json)) {
        item.outcome = co_await batch->tools->run(item.tool, item.call, &item.stop);
    } else {
        item.outcome = failure("the arguments are not a JSON object");
    }
    --batch->open;
    batch->ended.push_back(at);
    batch->bell.cancel();
}

awaitable<void> ToolRuns::tell(const Batch* batch, std::size_t at, State state) {
    const Batch::Item& item = batch->items[at];
    const std::string& written = item.call.arguments_json;
    const std::string arguments = is_object(written) ? written : as_json_string(written);
    timeline::ServerTool event{state, item.id, item.tool.spec.name, arguments};
    if (state == State::completed || state == State::failed)
        event.result_raw = item.outcome.result_json;
    reply_->on(event);
    if (reply_->has_output() && !reply_->flush()) co_await reply_->wait_for_client();
}

}  // namespace runnel::exchange
