#include "base/percent_encoding.hpp"
#include "dialect/registry.hpp"
#include "exchange/utc_now.hpp"
#include "server/app.hpp"
#include "server/audit.hpp"
#include "server/balance.hpp"
#include "server/logs.hpp"
#include "server/replay.hpp"

#include <string_view>

namespace runnel::server {

using boost::asio::awaitable;

namespace {

// The {id} of /v1/logs/{id} and what is below it.
std::string log_in(std::string_view path) {
    constexpr std::string_view before = "/logs/";
    path.remove_prefix(path.find(before) + before.size());
    return percent_decoded(path.substr(0, path.find('/')));
}

}  // namespace

awaitable<void> App::logs(Asked asked) {
    std::string query(asked.transaction->request.query());
    auto body = co_await list_logs(shared_->queries, std::move(query), asked.caller);
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::log_entry(Asked asked) {
    std::string id = log_in(asked.transaction->request.path());
    auto body = co_await find_log(shared_->queries, std::move(id), asked.caller);
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::log_content(Asked asked) {
    std::string id = log_in(asked.transaction->request.path());
    auto body = co_await find_content(shared_->queries, std::move(id), asked.caller);
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

// What was said, as the stream that it was, in the dialect that is asked for now.
awaitable<void> App::log_stream(Asked asked) {
    std::string id = log_in(asked.transaction->request.path());
    std::string query(asked.transaction->request.query());
    auto frames =
        co_await replay_log(shared_->queries, std::move(id), std::move(query), asked.caller);
    if (!frames) {
        co_await turn_away(asked.transaction, asked.record, std::move(frames.error()));
        co_return;
    }
    http::HeaderList& headers = asked.transaction->responder->headers();
    headers.add("Content-Type", "text/event-stream; charset=utf-8");
    headers.add("Cache-Control", "no-store");
    co_await asked.transaction->responder->send(200, *frames);
}

awaitable<void> App::export_log(Asked asked) {
    const std::string query(asked.transaction->request.query());
    std::string lines;
    std::string after;
    do {
        auto page = co_await export_logs(shared_->queries, query, after, asked.caller);
        if (!page) {
            co_await turn_away(asked.transaction, asked.record, std::move(page.error()));
            co_return;
        }
        lines += page->lines;
        after = std::move(page->after);
    } while (!after.empty() && lines.size() < limits::export_bytes);
    http::HeaderList& headers = asked.transaction->responder->headers();
    headers.add("Content-Type", "application/x-ndjson");
    // Where the rest begins, if it was too much for one answer.
    if (!after.empty()) headers.add("X-Next-After", after);
    co_await asked.transaction->responder->send(200, lines);
}

awaitable<void> App::forget_log(Asked asked) {
    std::string id = log_in(asked.transaction->request.path());
    auto body = co_await forget_log_content(shared_->queries, id);
    if (body) note_action(shared_->queries, actor_of(asked), "log.forget", std::move(id), "{}");
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::usage(Asked asked) {
    std::string query(asked.transaction->request.query());
    auto body = co_await sum_usage(shared_->queries, std::move(query), asked.caller);
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::balance(Asked asked) {
    const auto gateway = gateway_;
    auto body = co_await read_balance(shared_->meter, asked.caller, &gateway->access.limits,
                                      exchange::utc_now());
    asked.transaction->responder->headers().add("Cache-Control", "no-store");
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

}  // namespace runnel::server
