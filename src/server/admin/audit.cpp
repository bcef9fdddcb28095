#include "server/admin/audit.hpp"

#include "base/log.hpp"
#include "base/utc_time.hpp"
#include "exchange/utc_now.hpp"
#include "json/writer.hpp"
#include "server/handlers.hpp"
#include "server/url.hpp"
#include "storage/ask.hpp"

#include <limits>
#include <utility>

namespace runnel::server {

using storage::Database;

namespace {

constexpr std::string_view audit_query_names[] = {"action", "subject", "after", "limit"};
constexpr std::int64_t audit_page_max = 100;

Result<storage::AuditFilter> read_audit_filter(std::string_view text) {
    auto query = Query::read(text, audit_query_names);
    if (!query) return propagate(query);
    storage::AuditFilter filter;
    if (query->has("action")) filter.action = query->text("action");
    if (query->has("subject")) filter.subject = query->text("subject");
    auto limit = query->number("limit", 20, 1, audit_page_max);
    if (!limit) return propagate(limit);
    filter.limit = static_cast<std::size_t>(*limit);
    if (query->has("after")) {
        auto after = query->number("after", 0, 0, std::numeric_limits<std::int64_t>::max());
        if (!after) return propagate(after);
        filter.before = *after;
    }
    return filter;
}

std::string audit_page_json(const storage::AuditPage& page) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const storage::AuditEntry& entry : page.entries) {
        out.begin_object()
            .key("id")
            .string(std::to_string(entry.id))
            .key("object")
            .string("audit_entry");
        out.key("at").string(write_utc_time(entry.at));
        out.key("by").string(entry.by.name).key("address").string(entry.by.address);
        out.key("action").string(entry.action).key("subject");
        entry.subject.empty() ? out.null() : out.string(entry.subject);
        out.key("changes").raw(entry.changes_json).end_object();
    }
    out.end_array().key("has_more").boolean(page.has_more).key("last_id");
    page.entries.empty() ? out.null() : out.string(std::to_string(page.entries.back().id));
    out.end_object();
    return body;
}

}  // namespace

void note_action(storage::StoreThread* queries, storage::Actor by, std::string action,
                 std::string subject, std::string changes_json) {
    log::Line(log::Level::info, "admin")
        .add("action", action)
        .add("subject", subject)
        .add("by", by.name)
        .add("address", by.address)
        .write();
    if (queries == nullptr) return;
    storage::AuditEntry entry;
    entry.at = exchange::utc_now();
    entry.by = std::move(by);
    entry.action = std::move(action);
    entry.subject = std::move(subject);
    entry.changes_json = std::move(changes_json);
    queries->submit([entry = std::move(entry)](Result<Database*> database) {
        auto added = database ? storage::add_audit_entry(**database, entry)
                              : Result<void>(propagate(database));
        if (!added)
            log::Line(log::Level::error, "the audit log has no entry for this")
                .add("action", entry.action)
                .add("reason", added.error().message)
                .write();
    });
}

Answer list_audit(Call call) {
    auto filter = read_audit_filter(call.request().query());
    if (!filter) {
        co_await turn_away(call, std::move(filter.error()));
        co_return;
    }
    storage::StoreThread* store = call.resources->shared->queries;
    if (store == nullptr) {
        co_await refuse(call, {ErrorKind::store_unavailable,
                               "there is no store for the audit log; the gateway's log says why"});
        co_return;
    }
    storage::Query<std::string> list =
        [filter = std::move(*filter)](Database& database) -> Result<std::string> {
        auto page = storage::list_audit_entries(database, filter);
        if (!page) return propagate(page);
        return audit_page_json(*page);
    };
    auto body = co_await storage::ask<std::string>(store, std::move(list));
    co_await send_result(call, std::move(body));
}

}  // namespace runnel::server
