#include "storage/records/responses.hpp"

#include "access/ownership.hpp"
#include "api/registry.hpp"
#include "api/responses/response_object.hpp"
#include "api/responses/stored_items.hpp"
#include "base/ascii.hpp"
#include "exchange/background/background_run.hpp"
#include "exchange/utc_now.hpp"
#include "json/place.hpp"
#include "json/tree.hpp"
#include "json/writer.hpp"
#include "server/background.hpp"
#include "server/endpoints.hpp"
#include "server/handlers.hpp"
#include "server/log_query.hpp"
#include "server/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

// Responses that were stored, as their callers look them up and take them away.
namespace runnel::server {

using boost::asio::awaitable;
using json::Node;
using storage::Database;
using storage::StoredResponse;

namespace {

constexpr std::array<std::string_view, 5> item_query_names{"limit", "order", "after", "include",
                                                           "include[]"};
constexpr std::array<std::string_view, 5> response_query_names{
    "stream", "starting_after", "include", "include[]", "include_obfuscation"};

Error not_found(std::string_view id) {
    return {ErrorKind::not_found,
            fmt::format("Response with id {} not found: it was not stored, was deleted or is "
                        "another caller's.",
                        json::in_quotes(id))};
}

// Draws on the memory budget from the store's thread on: many may be found before the first is
// told.
struct FoundResponse : StoredResponse {
    MemoryBudget::Share held{};
};

Result<FoundResponse> read_response(Database& database, std::string_view id, std::string_view owner,
                                    MemoryBudget* memory) {
    auto found = storage::find_response(database, id, owner);
    if (!found) return propagate(found);
    if (!*found) return fail(not_found(id));
    FoundResponse response{std::move(**found),
                           MemoryBudget::Share(memory, MemoryBudget::Use::answers)};
    if (!response.held.resize(response.input_json.size() + response.response_json.size()))
        return fail(ErrorKind::overloaded,
                    "the gateway has no memory left for this answer; try again later");
    return response;
}

awaitable<Result<FoundResponse>> look_up(const Call* call) {
    exchange::SharedState* shared = call->resources->shared;
    co_return co_await ask_store<FoundResponse>(
        shared->queries, [id = call->path_variable(), owner = access::owner_digest(call->caller),
                          memory = &shared->memory](Database& database) {
            return read_response(database, id, owner, memory);
        });
}

std::shared_ptr<exchange::BackgroundRun> find_run(const Call& call) {
    return call.resources->shared->background.find(call.path_variable(),
                                                   access::owner_digest(call.caller));
}

bool runs_in_background(const StoredResponse& response) {
    const auto object = json::read_tree(response.response_json);
    const Node* background = object ? object->find("background") : nullptr;
    return background != nullptr && background->raw == "true";
}

// One that another process runs, or did: it is over.
awaitable<Result<std::string>> end_elsewhere(const Call* call, std::string response_json) {
    const std::string id = call->path_variable();
    auto ended = co_await ask_store<bool>(
        call->resources->shared->queries, [id, response_json](Database& database) {
            return storage::end_response(database, id, response_json, {});
        });
    if (!ended) co_return propagate(ended);
    if (*ended) co_return response_json;
    // It has just ended by itself.
    auto found = co_await look_up(call);
    if (!found) co_return propagate(found);
    co_return std::move(found->response_json);
}

// The same, with an end for those whose process died.
awaitable<Result<FoundResponse>> find(const Call* call) {
    auto found = co_await look_up(call);
    if (!found || !found->running_until || *found->running_until > exchange::utc_now())
        co_return found;
    auto ended = co_await end_elsewhere(
        call, api::responses::failed_response(
                  found->response_json,
                  {ErrorKind::internal_error,
                   "the gateway's process ended before the answer was complete; ask again"}));
    if (!ended) co_return propagate(ended);
    found->response_json = std::move(*ended);
    found->running_until.reset();
    co_return found;
}

// The first frame that is wanted of a stream; none: the response is wanted whole.
Result<std::optional<std::size_t>> first_frame(const Query& asked) {
    const bool streams = asked.text("stream") == "true" || asked.text("stream") == "1";
    auto after = asked.number("starting_after", -1, 0, INT32_MAX);
    if (!after) return propagate(after);
    if (streams) return static_cast<std::size_t>(*after + 1);
    if (*after < 0) return std::nullopt;
    return fail_at(ErrorKind::invalid_value, "starting_after",
                   "starting_after is for streams: ask with stream=true");
}

Error not_kept() {
    return {ErrorKind::invalid_value,
            "Only responses that were asked for with background: true and stream: true can be "
            "streamed again.",
            "stream"};
}

// Of one that is over.
Answer stream_stored(Call call, std::size_t first) {
    auto found = co_await find(&call);
    Result<std::string> frames;
    if (!found) {
        frames = propagate(found);
    } else if (found->running_until) {
        frames = fail_at(ErrorKind::invalid_value, "stream",
                         "The response is in progress in another process of the gateway: poll it, "
                         "and read its stream when it has ended.");
    } else {
        frames = co_await ask_store<std::string>(
            call.resources->shared->queries,
            [id = call.path_variable(), owner = access::owner_digest(call.caller)](
                Database& database) { return storage::read_frames(database, id, owner); });
        if (frames && frames->empty()) frames = fail(not_kept());
    }
    if (!frames) {
        co_await turn_away(call, std::move(frames.error()));
        co_return;
    }
    const auto kept = std::make_shared<exchange::KeptStream>(&call.resources->shared->memory);
    if (!kept->add(*frames)) {
        co_await refuse(call, {ErrorKind::overloaded,
                               "the gateway has no memory left for the stream; try again later"});
        co_return;
    }
    kept->end();
    co_await tell_frames(std::move(call), kept, first);
}

Answer stream_response(Call call, std::size_t first) {
    const auto run = find_run(call);
    if (!run) return stream_stored(std::move(call), first);
    auto frames = run->frames();
    if (!frames) return refuse(call, not_kept());
    return tell_frames(std::move(call), std::move(frames), first);
}

Result<std::string> item_page(const StoredResponse& response, const Query& asked) {
    auto limit = asked.number("limit", 20, 1, 100);
    if (!limit) return propagate(limit);
    const std::string_view order = asked.has("order") ? asked.text("order") : "desc";
    if (order != "asc" && order != "desc")
        return fail(ErrorKind::invalid_value, "order must be asc or desc");
    std::vector<Node> items = api::responses::plain_items(
        response.input_json, api::responses::input_id_begin(response.id));
    if (order == "desc") std::ranges::reverse(items);
    auto begin = items.begin();
    if (asked.has("after")) {
        begin = std::ranges::find(items, asked.text("after"), api::responses::id_of);
        if (begin == items.end())
            return fail(ErrorKind::invalid_value,
                        "after is not the id of an item of this response");
        ++begin;
    }
    const auto end = begin + std::min<std::ptrdiff_t>(*limit, items.end() - begin);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (auto item = begin; item != end; ++item) {
        std::string text;
        json::append_tree(text, *item);
        out.raw(text);
    }
    out.end_array().key("first_id");
    begin == end ? out.null() : out.string(api::responses::id_of(*begin));
    out.key("last_id");
    begin == end ? out.null() : out.string(api::responses::id_of(*(end - 1)));
    out.key("has_more").boolean(end != items.end()).end_object();
    return body;
}

// What was found is gone when the page is on its way: a client may be slow to take it.
awaitable<Result<std::string>> find_items(const Call* call, Query asked) {
    auto found = co_await find(call);
    co_return found ? item_page(*found, asked) : propagate(found);
}

}  // namespace

Answer show_response(Call call) {
    auto asked = Query::read(call.request().query(), response_query_names);
    auto first = asked ? first_frame(*asked) : propagate(asked);
    if (!first) {
        co_await refuse(call, std::move(first.error()));
        co_return;
    }
    if (*first) {
        co_await stream_response(std::move(call), **first);
        co_return;
    }
    if (const auto run = find_run(call)) {
        co_await send_json(call, 200, run->response());
        co_return;
    }
    auto found = co_await find(&call);
    Result<std::string> body =
        found ? Result<std::string>(std::move(found->response_json)) : propagate(found);
    co_await send_result(call, std::move(body));
}

Answer list_input_items(Call call) {
    auto asked = Query::read(call.request().query(), item_query_names);
    if (!asked) {
        co_await refuse(call, std::move(asked.error()));
        co_return;
    }
    Result<std::string> body = co_await find_items(&call, std::move(*asked));
    co_await send_result(call, std::move(body));
}

Answer delete_response(Call call) {
    const std::string id = call.path_variable();
    if (const auto run = find_run(call)) run->cancel();
    auto deleted = co_await ask_store<bool>(
        call.resources->shared->queries,
        [id, owner = access::owner_digest(call.caller)](Database& database) {
            return storage::delete_response(database, id, owner);
        });
    if (deleted && !*deleted) deleted = fail(not_found(id));
    Result<std::string> body;
    if (deleted) {
        json::Writer(*body)
            .begin_object()
            .key("id")
            .string(id)
            .key("object")
            .string("response")
            .key("deleted")
            .boolean(true)
            .end_object();
    } else {
        body = propagate(deleted);
    }
    co_await send_result(call, std::move(body));
}

// Here or, when its process next says that it goes on, in another.
Answer cancel_response(Call call) {
    if (const auto run = find_run(call)) {
        run->cancel();
        co_await send_json(call, 200, run->response());
        co_return;
    }
    auto found = co_await find(&call);
    Result<std::string> body;
    if (!found) {
        body = propagate(found);
    } else if (!runs_in_background(*found)) {
        body = fail(ErrorKind::invalid_value,
                    "Only responses that run in the background can be cancelled; end any other by "
                    "closing its connection.");
    } else if (!found->running_until) {
        body = std::move(found->response_json);
    } else {
        body =
            co_await end_elsewhere(&call, api::responses::cancelled_response(found->response_json));
    }
    co_await send_result(call, std::move(body));
}

// Codex asks for a WebSocket first, and takes to HTTP at once where it is told this.
Answer decline_websocket(Call call) {
    const http::HeaderList& headers = call.request().headers;
    if (ascii::lowered(headers.get("Upgrade")) != "websocket") {
        call.answer_headers().add("Allow", "POST");
        return refuse(call, {ErrorKind::method_not_allowed,
                             "GET /v1/responses lists nothing: POST asks, and GET "
                             "/v1/responses/{id} shows a stored response"});
    }
    const Error error{ErrorKind::method_not_allowed,
                      "Responses are not told over WebSockets here: send POST /v1/responses, with "
                      "stream: true for a stream of server-sent events."};
    call.record->error_kind = name_of(error.kind);
    call.record->error_detail = error.message;
    call.answer_headers().add("Upgrade", "HTTP/1.1");
    constexpr int upgrade_required = 426;
    return send_json(call, upgrade_required, api::responses_api().error_body(error));
}

}  // namespace runnel::server
