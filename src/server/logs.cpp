#include "server/logs.hpp"

#include "json/writer.hpp"
#include "server/log_query.hpp"
#include "store/ask.hpp"
#include "store/logs.hpp"
#include "store/retention.hpp"

#include <fmt/format.h>

namespace runnel::server {

using boost::asio::awaitable;
using store::Database;
using store::Detail;
using store::Record;

namespace {

constexpr std::size_t export_rows = 500;  // at a time

using Found = std::optional<Record>;

template <class T>
awaitable<Result<T>> ask_store(Queries* store, store::Query<T> query) {
    if (store == nullptr)
        co_return fail(ErrorKind::store_unavailable,
                       "nothing is recorded here: the store could not be opened when the gateway "
                       "was started; its log says why");
    co_return co_await store::ask<T>(store, std::move(query));
}

Error no_such_log(std::string_view id) {
    return {ErrorKind::not_found,
            fmt::format("there is no request '{}' in the log; it may be another "
                        "key's, or older "
                        "than the log goes back",
                        id)};
}

awaitable<Result<Record>> find(Queries* store, std::string id, policy::Caller caller,
                               Detail detail) {
    auto found = co_await ask_store<Found>(store, [=](Database& database) {
        return store::find_record(database, id, seen_by(caller), detail);
    });
    if (!found) co_return propagate(found);
    if (!*found) co_return fail(no_such_log(id));
    co_return std::move(**found);
}

store::Reader reader_of(const policy::Caller& caller) {
    return caller.kind == policy::Caller::Kind::admin ? store::Reader::admin : store::Reader::owner;
}

std::string page_json(const store::LogPage& page, store::Reader reader,
                      std::optional<std::int64_t> count) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const Record& record : page.records) out.raw(store::record_json(record, reader));
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

ExportPage export_page(const store::LogPage& page, store::Reader reader) {
    ExportPage lines;
    for (const Record& record : page.records) {
        // The record, with what was said in it as one more member.
        lines.lines += store::record_json(record, reader);
        lines.lines.pop_back();
        lines.lines += R"(,"content":)";
        lines.lines += record.timeline_json.empty() ? "null" : record.timeline_json;
        lines.lines += "}\n";
    }
    if (page.has_more) lines.after = page.records.back().entry_id;
    return lines;
}

}  // namespace

awaitable<Result<std::string>> list_logs(Queries* store, std::string query, policy::Caller caller) {
    auto asked = read_log_query(query, caller);
    if (!asked) co_return propagate(asked);
    // Written there, too: a page of long records would keep this thread's streams waiting.
    co_return co_await ask_store<std::string>(
        store,
        [asked = *asked, reader = reader_of(caller)](Database& database) -> Result<std::string> {
            auto page = store::list_records(database, asked.filter, asked.after, asked.limit,
                                            Detail::record);
            if (!page) return propagate(page);
            if (!asked.counted) return page_json(*page, reader, std::nullopt);
            auto count = store::count_records(database, asked.filter);
            if (!count) return propagate(count);
            return page_json(*page, reader, *count);
        });
}

awaitable<Result<std::string>> find_log(Queries* store, std::string id, policy::Caller caller) {
    const store::Reader reader = reader_of(caller);
    auto record = co_await find(store, std::move(id), std::move(caller), Detail::record);
    if (!record) co_return propagate(record);
    co_return store::record_json(*record, reader);
}

awaitable<Result<std::string>> find_content(Queries* store, std::string id, policy::Caller caller) {
    auto record = co_await find(store, id, std::move(caller), Detail::content);
    if (!record) co_return propagate(record);
    if (record->timeline_json.empty())
        co_return fail(ErrorKind::not_found,
                       fmt::format("what was said in '{}' is not kept; turn it on with `logs: "
                                   "{{content: on}}` or for a key, and ask again",
                                   id));
    co_return std::move(record->timeline_json);
}

awaitable<Result<ExportPage>> export_logs(Queries* store, std::string query, std::string after,
                                          policy::Caller caller) {
    auto asked = read_log_query(query, caller);
    if (!asked) co_return propagate(asked);
    if (!after.empty()) asked->after = std::move(after);
    co_return co_await ask_store<ExportPage>(
        store,
        [asked = *asked, reader = reader_of(caller)](Database& database) -> Result<ExportPage> {
            auto page = store::list_records(database, asked.filter, asked.after, export_rows,
                                            Detail::content);
            if (!page) return propagate(page);
            return export_page(*page, reader);
        });
}

awaitable<Result<std::string>> forget_log_content(Queries* store, std::string id) {
    auto forgotten = co_await ask_store<std::size_t>(
        store, [id](Database& database) { return store::forget_content(database, id); });
    if (!forgotten) co_return propagate(forgotten);
    co_return fmt::format(R"({{"deleted":{}}})", *forgotten);
}

awaitable<Result<std::string>> sum_usage(Queries* store, std::string query, policy::Caller caller) {
    auto asked = read_usage_query(query, caller);
    if (!asked) co_return propagate(asked);
    auto sums = co_await ask_store<std::vector<store::UsageSum>>(
        store, [asked = *asked](Database& database) { return store::usage(database, asked); });
    if (!sums) co_return propagate(sums);
    co_return usage_json(*asked, *sums);
}

}  // namespace runnel::server
