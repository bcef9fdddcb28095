#include "storage/records/logs.hpp"

#include "base/limits.hpp"
#include "json/writer.hpp"
#include "server/admin/audit.hpp"
#include "server/handlers.hpp"
#include "server/log_query.hpp"
#include "server/replay.hpp"
#include "server/url.hpp"
#include "storage/records/retention.hpp"

#include <fmt/format.h>

#include <array>

// What was asked, as it is looked up.
namespace runnel::server {

using boost::asio::awaitable;
using storage::Database;
using storage::Detail;
using storage::Record;

namespace {

constexpr std::size_t export_rows = 500;  // at a time
constexpr std::array<std::string_view, 1> replay_names{"dialect"};

storage::Reader reader_of(const access::Caller& caller) {
    return caller.kind == access::Caller::Kind::admin ? storage::Reader::admin
                                                      : storage::Reader::owner;
}

std::string log_page_json(const storage::LogPage& page, storage::Reader reader,
                          std::optional<std::int64_t> count) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const Record& record : page.records) out.raw(storage::record_json(record, reader));
    out.end_array().key("has_more").boolean(page.has_more);
    out.key("last_id");
    if (page.records.empty()) {
        out.null();
    } else {
        out.string(page.records.back().entry_id);
    }
    if (count) out.key("count").number(*count);
    out.end_object();
    return body;
}

// The page that the query asks for, newest first.
Result<std::string> find_log_page(Database& database, const LogQuery& asked,
                                  storage::Reader reader) {
    auto page =
        storage::list_records(database, asked.filter, asked.after, asked.limit, Detail::record);
    if (!page) return propagate(page);
    if (!asked.counted) return log_page_json(*page, reader, std::nullopt);
    auto count = storage::count_records(database, asked.filter);
    if (!count) return propagate(count);
    return log_page_json(*page, reader, *count);
}

// The request in the path, by its completion id or its request id.
awaitable<Result<Record>> find_log(const Call* call, Detail detail) {
    const std::string id = call->path_variable();
    auto found = co_await ask_store<std::optional<Record>>(
        call->resources->shared->queries,
        [id, seen_by = seen_by(call->caller), detail](Database& database) {
            return storage::find_record(database, id, seen_by, detail);
        });
    if (!found) co_return propagate(found);
    if (!*found)
        co_return fail(ErrorKind::not_found,
                       fmt::format("there is no request '{}' in the log; it may be another key's, "
                                   "or older than the log goes back",
                                   id));
    co_return std::move(**found);
}

// What was said in it, with the times at which it was: the archive of its timeline.
awaitable<Result<std::string>> find_content(const Call* call) {
    auto record = co_await find_log(call, Detail::content);
    if (!record) co_return propagate(record);
    if (record->timeline_json.empty())
        co_return fail(ErrorKind::not_found,
                       fmt::format("what was said in '{}' is not kept; turn it on with `logs: "
                                   "{{content: on}}` or for a key, and ask again",
                                   call->path_variable()));
    co_return std::move(record->timeline_json);
}

// The frames of a stream whose content was kept, in the dialect that the query names.
awaitable<Result<Replayed>> replayed_frames(const Call* call) {
    auto asked = Query::read(call->request().query(), replay_names);
    if (!asked) co_return propagate(asked);
    auto content = co_await find_content(call);
    if (!content) co_return propagate(content);
    const std::string_view dialect = asked->has("dialect") ? asked->text("dialect") : "openai";
    co_return replay_content(std::move(*content), dialect);
}

// The next lines of an export, one JSON object each, and where the ones after them begin.
struct ExportPage {
    std::string lines;
    std::string after;  // empty: that was the last
};

ExportPage export_page(const storage::LogPage& page, storage::Reader reader) {
    ExportPage lines;
    for (const Record& record : page.records) {
        // The record, with what was said in it as one more member.
        lines.lines += storage::record_json(record, reader);
        lines.lines.pop_back();
        lines.lines += R"(,"content":)";
        lines.lines += record.timeline_json.empty() ? "null" : record.timeline_json;
        lines.lines += "}\n";
    }
    if (page.has_more) lines.after = page.records.back().entry_id;
    return lines;
}

Result<ExportPage> find_export_page(Database& database, const LogQuery& asked,
                                    storage::Reader reader) {
    auto page =
        storage::list_records(database, asked.filter, asked.after, export_rows, Detail::content);
    if (!page) return propagate(page);
    return export_page(*page, reader);
}

}  // namespace

Answer list_logs(Call call) {
    auto asked = read_log_query(call.request().query(), call.caller);
    if (!asked) {
        co_await turn_away(call, std::move(asked.error()));
        co_return;
    }
    // Written there, too: a page of long records would keep this thread's streams waiting.
    auto body = co_await ask_store<std::string>(
        call.resources->shared->queries,
        [asked = std::move(*asked), reader = reader_of(call.caller)](Database& database) {
            return find_log_page(database, asked, reader);
        });
    co_await send_result(call, std::move(body));
}

Answer show_log(Call call) {
    auto record = co_await find_log(&call, Detail::record);
    if (!record) {
        co_await turn_away(call, std::move(record.error()));
        co_return;
    }
    co_await send_json(call, 200, storage::record_json(*record, reader_of(call.caller)));
}

Answer show_log_content(Call call) {
    auto body = co_await find_content(&call);
    co_await send_result(call, std::move(body));
}

// What was said, as the stream that it was, in the dialect that is asked for now, all at once.
Answer replay_log(Call call) {
    auto replayed = co_await replayed_frames(&call);
    if (!replayed) {
        co_await turn_away(call, std::move(replayed.error()));
        co_return;
    }
    call.answer_headers().add("Cache-Control", "no-store");
    co_await send(call, 200, replayed->content_type, std::move(replayed->frames));
}

Answer export_logs(Call call) {
    auto asked = read_log_query(call.request().query(), call.caller);
    if (!asked) {
        co_await turn_away(call, std::move(asked.error()));
        co_return;
    }
    std::string lines;
    bool more = true;
    while (more && lines.size() < limits::export_bytes) {
        auto page = co_await ask_store<ExportPage>(
            call.resources->shared->queries,
            [asked = *asked, reader = reader_of(call.caller)](Database& database) {
                return find_export_page(database, asked, reader);
            });
        if (!page) {
            co_await turn_away(call, std::move(page.error()));
            co_return;
        }
        lines += page->lines;
        more = !page->after.empty();
        asked->after = std::move(page->after);
    }
    // Where the rest begins, if it was too much for one answer.
    if (more) call.answer_headers().add("X-Next-After", asked->after);
    co_await send(call, 200, "application/x-ndjson", std::move(lines));
}

// Deletes what was said in one request; the body tells how many there were.
Answer forget_log(Call call) {
    const std::string id = call.path_variable();
    storage::StoreThread* store = call.resources->shared->queries;
    auto forgotten = co_await ask_store<std::size_t>(
        store, [id](Database& database) { return storage::forget_content(database, id); });
    if (!forgotten) {
        co_await turn_away(call, std::move(forgotten.error()));
        co_return;
    }
    note_action(store, actor_of(call), "log.forget", id, "{}");
    co_await send_json(call, 200, fmt::format(R"({{"deleted":{}}})", *forgotten));
}

}  // namespace runnel::server
