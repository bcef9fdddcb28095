#include "exchange/chat_exchange.hpp"
#include "server/endpoints.hpp"
#include "server/handlers.hpp"
#include "server/limits.hpp"
#include "server/url.hpp"

namespace runnel::server {

namespace {

// What a model says, in the API that the endpoint brings along.
Answer answer(Call call, api::Incoming incoming) {
    exchange::SharedState* shared = call.resources->shared;
    auto ticket = shared->admissions.requests.try_enter();
    if (!ticket) {
        auto entered = co_await shared->admissions.requests.enter(call.transaction->stop);
        if (!entered) {
            co_await turn_away(call, std::move(entered.error()));
            co_return;
        }
        ticket = std::move(*entered);
    }
    auto progress = begin_body(call);
    auto taken = progress ? Result<void>{} : propagate(progress);
    if (taken && *progress == http::BodyIntake::Progress::waits) {
        taken = may_send_more(call);
        if (taken) taken = co_await call.transaction->body->rest();
    }
    if (!taken) {
        co_await turn_away(call, std::move(taken.error()));
        co_return;
    }
    exchange::ChatExchange exchange(call.resources->gateway, call.resources->worker, shared,
                                    call.transaction, call.record, std::move(call.caller),
                                    &call.endpoint->api(), std::move(incoming));
    JournalEntry& entry = *call.entry;
    entry.wanted = true;
    co_await exchange.run();
    exchange.note_findings();
    entry.model = exchange.model();
    entry.ticket = exchange.ticket();
    entry.content = exchange.content();
}

}  // namespace

// Azure's clients name their model, the deployment, in the path.
Answer answer_chat(Call call) {
    api::Incoming incoming{.model = deployment_in(call.request().path())};
    return answer(std::move(call), std::move(incoming));
}

// The path names the model, and whether the answer streams.
Answer answer_gemini(Call call) {
    api::Incoming incoming{.model = call.path_variable()};
    const bool streams = plain_path(call.request().path()).ends_with(":streamGenerateContent");
    incoming.streaming = streams ? chat::Streaming::yes : chat::Streaming::no;
    incoming.dialect = "gemini-array";
    for (const auto& [name, value] : query_fields(call.request().query()))
        if (name == "alt" && value == "sse") incoming.dialect = "gemini";
    return answer(std::move(call), std::move(incoming));
}

// The path says whether a conversation is gone on with, or one text answered.
Answer answer_ollama(Call call) {
    api::Incoming incoming;
    incoming.dialect = call.endpoint->path == "/api/generate" ? "ollama-generate" : "ollama";
    return answer(std::move(call), std::move(incoming));
}

}  // namespace runnel::server
