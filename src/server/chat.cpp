#include "api/registry.hpp"
#include "exchange/chat_exchange.hpp"
#include "exchange/operations/embedding_operation.hpp"
#include "exchange/operations/operation_exchange.hpp"
#include "server/background.hpp"
#include "server/endpoints.hpp"
#include "server/handlers.hpp"
#include "server/limits.hpp"
#include "server/url.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace runnel::server {

using boost::asio::awaitable;

namespace {

enum class Wanted { answer, count };

using Place = exchange::Admission::Ticket;

// A place among the requests that are asked at a time, and the body. Without one the caller has
// been turned away.
awaitable<std::optional<Place>> enter(const Call* call) {
    exchange::SharedState* shared = call->resources->shared;
    auto ticket = shared->admissions.requests.try_enter();
    if (!ticket) {
        auto entered = co_await shared->admissions.requests.enter(call->transaction->stop);
        if (!entered) {
            co_await turn_away(*call, std::move(entered.error()));
            co_return std::nullopt;
        }
        ticket = std::move(*entered);
    }
    auto progress = begin_body(*call);
    auto taken = progress ? Result<void>{} : propagate(progress);
    if (taken && *progress == http::BodyIntake::Progress::waits) {
        taken = may_send_more(*call);
        if (taken) taken = co_await call->transaction->body->rest();
    }
    if (!taken) {
        co_await turn_away(*call, std::move(taken.error()));
        co_return std::nullopt;
    }
    co_return ticket;
}

// What a model says, in the API that the endpoint brings along, or how much it would have to read.
Answer answer(Call call, api::Incoming incoming, Wanted wanted) {
    auto place = co_await enter(&call);
    if (!place) co_return;
    if (wanted == Wanted::answer && wants_background(call)) {
        co_await answer_in_background(std::move(call), std::move(*place));
        co_return;
    }
    exchange::ChatExchange exchange(
        call.resources->gateway, call.resources->worker, call.resources->shared, call.transaction,
        call.record, std::move(call.caller), &call.endpoint->api(), std::move(incoming));
    JournalEntry& entry = *call.entry;
    entry.wanted = true;
    co_await (wanted == Wanted::count ? exchange.count() : exchange.run());
    exchange.note_findings();
    entry.model = exchange.model();
    entry.ticket = exchange.ticket();
    entry.content = exchange.content();
}

// What is answered in one whole body.
Answer answer_whole(Call call, std::unique_ptr<exchange::WholeOperation> operation,
                    api::Incoming incoming) {
    const auto place = co_await enter(&call);
    if (!place) co_return;
    exchange::OperationExchange exchange(call.resources->gateway, call.resources->worker,
                                         call.resources->shared, call.transaction, call.record,
                                         std::move(call.caller), &call.endpoint->api(),
                                         std::move(operation), std::move(incoming));
    JournalEntry& entry = *call.entry;
    entry.wanted = true;
    co_await exchange.run();
    entry.model = exchange.model();
    entry.ticket = exchange.ticket();
    entry.content = exchange.content();
}

}  // namespace

// Azure's clients name their model, the deployment, in the path.
Answer answer_chat(Call call) {
    api::Incoming incoming{.model = deployment_in(call.request().path())};
    return answer(std::move(call), std::move(incoming), Wanted::answer);
}

// The path names the model, and whether the answer streams.
Answer answer_gemini(Call call) {
    api::Incoming incoming{.model = call.path_variable()};
    const bool streams = plain_path(call.request().path()).ends_with(":streamGenerateContent");
    incoming.streaming = streams ? chat::Streaming::yes : chat::Streaming::no;
    incoming.dialect = "gemini-array";
    for (const auto& [name, value] : query_fields(call.request().query()))
        if (name == "alt" && value == "sse") incoming.dialect = "gemini";
    return answer(std::move(call), std::move(incoming), Wanted::answer);
}

// Gemini's path names the model.
Answer count_tokens(Call call) {
    api::Incoming incoming{.model = call.path_variable()};
    return answer(std::move(call), std::move(incoming), Wanted::count);
}

// The path says whether a conversation is gone on with, or one text answered.
Answer answer_ollama(Call call) {
    api::Incoming incoming;
    incoming.dialect = call.endpoint->path == "/api/generate" ? "ollama-generate" : "ollama";
    return answer(std::move(call), std::move(incoming), Wanted::answer);
}

Answer answer_embeddings(Call call) {
    api::Incoming incoming{.model = deployment_in(call.request().path())};
    auto operation = std::make_unique<exchange::EmbeddingOperation>(&api::openai_embeddings());
    return answer_whole(std::move(call), std::move(operation), std::move(incoming));
}

Answer answer_gemini_embeddings(Call call) {
    api::Incoming incoming{.model = call.path_variable()};
    const bool many = plain_path(call.request().path()).ends_with(":batchEmbedContents");
    auto operation = std::make_unique<exchange::EmbeddingOperation>(
        many ? &api::gemini_batch_embeddings() : &api::gemini_embedding());
    return answer_whole(std::move(call), std::move(operation), std::move(incoming));
}

}  // namespace runnel::server
