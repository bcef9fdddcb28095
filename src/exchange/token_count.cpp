#include "exchange/chat_exchange.hpp"
#include "exchange/operation_of.hpp"
#include "tools/rounds/conversation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace runnel::exchange {

using boost::asio::awaitable;

namespace {

// Nobody has counted: it is what limits and budgets reserve.
constexpr std::string_view estimated = "estimated_tokens";

}  // namespace

awaitable<void> ChatExchange::count() {
    if (auto ready = prepare_count(); !ready) {
        co_await reply_.fail(std::move(ready.error()));
        co_return;
    }
    const std::int64_t tokens = operation_of(request_).input_tokens;
    chat::Operation operation;
    operation.model = request_.model;
    operation.max_tokens = 0;
    auto opened =
        co_await account_.open(std::move(operation), &route_, &transaction_->responder->headers());
    if (!opened) {
        co_await reply_.fail(std::move(opened.error()));
        co_return;
    }
    account_.settle_unpaid();
    record_->warnings.emplace_back(estimated);
    co_await tell_count(tokens);
}

Result<void> ChatExchange::prepare_count() {
    incoming_.body = std::move(transaction_->request.body);
    incoming_.streaming = chat::Streaming::no;
    incoming_.dialect = api_->dialects().front()->name();
    auto taken = take(api_->read_count_request(std::move(incoming_), &worker_->parser));
    if (!taken) return taken;
    request_.streaming = chat::Streaming::no;
    // How long an answer may be does not matter where there is none.
    if (!request_.max_tokens) request_.max_tokens = 1;
    if (auto routed = route(); !routed) return routed;
    if (route_.system != nullptr)
        tools::add_system_text(&request_, *route_.system, tools::SystemPlace::first);
    record_->completion_id = worker_->ids.next("count_");
    return {};
}

awaitable<void> ChatExchange::tell_count(std::int64_t tokens) {
    http::HeaderList& headers = transaction_->responder->headers();
    headers.add("Content-Type", "application/json");
    headers.add("X-Gateway-Warnings", fmt::format("{}", fmt::join(record_->warnings, ", ")));
    if (co_await transaction_->responder->send(200, api_->count_body(tokens)))
        transaction_->stop->request(http::Stop::Reason::client_gone);
}

}  // namespace runnel::exchange
