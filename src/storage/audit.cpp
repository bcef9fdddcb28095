#include "storage/audit.hpp"

#include "access/key_view.hpp"
#include "json/form.hpp"
#include "json/writer.hpp"
#include "storage/sql/sql_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace runnel::storage {
namespace {

using access::Key;

// A key's fields as they are shown, without those that say nothing.
std::map<std::string, std::string> shown_fields(const Key* key) {
    std::map<std::string, std::string> fields;
    if (key == nullptr) return fields;
    const auto form = json::Form::read(access::key_json(*key));
    if (!form) return fields;
    for (const auto& [name, value] : form->root().fields().value()) {
        const std::string json = value.json();
        if (name == "id" || name == "object" || name == "created_at" || name == "updated_at")
            continue;
        if (json != "null" && json != "[]" && json != "{}" && json != R"("")") fields[name] = json;
    }
    return fields;
}

// {"models":[["a"],["a","b"]]}: before and after.
std::string changes_between(const Key* before, const Key* after) {
    auto old_fields = shown_fields(before);
    auto new_fields = shown_fields(after);
    std::map<std::string, std::pair<std::string, std::string>> changes;
    for (auto& [name, json] : old_fields) changes[name].first = std::move(json);
    for (auto& [name, json] : new_fields) changes[name].second = std::move(json);
    std::string text;
    json::Writer out(text);
    out.begin_object();
    for (const auto& [name, change] : changes) {
        const auto& [was, is] = change;
        if (was == is) continue;
        out.key(name).begin_array();
        out.raw(was.empty() ? "null" : std::string_view(was));
        out.raw(is.empty() ? "null" : std::string_view(is));
        out.end_array();
    }
    out.end_object();
    return text;
}

std::string_view action_of(const Key* before, const Key* after) {
    if (before == nullptr) return "key.create";
    if (after == nullptr) return "key.revoke";
    return before->hash == after->hash ? "key.update" : "key.rotate";
}

}  // namespace

Result<void> add_audit_entry(Database& database, const AuditEntry& entry) {
    auto added = database.run("INSERT INTO audit (at, actor, address, action, subject, changes) "
                              "VALUES ($1, $2, $3, $4, $5, $6)",
                              {ms_of(entry.at), entry.by.name, entry.by.address, entry.action,
                               entry.subject, entry.changes_json});
    if (!added) return propagate(added);
    return {};
}

AuditEntry key_entry(const Key* before, const Key* after, const Actor& by, access::UtcTime at) {
    AuditEntry entry;
    entry.at = at;
    entry.by = by;
    entry.action = action_of(before, after);
    entry.subject = before != nullptr ? before->id : after->id;
    entry.changes_json = changes_between(before, after);
    return entry;
}

Result<AuditPage> list_audit_entries(Database& database, const AuditFilter& filter) {
    // One more than wanted tells whether there are more.
    std::vector<Parameter> parameters{static_cast<std::int64_t>(filter.limit + 1)};
    std::string where;
    const auto only = [&](std::string_view condition, Parameter value) {
        parameters.push_back(value);
        where += fmt::format("{} {} ${}", where.empty() ? "WHERE" : " AND", condition,
                             parameters.size());
    };
    if (filter.action) only("action =", *filter.action);
    if (filter.subject) only("subject =", *filter.subject);
    if (filter.before) only("seq <", *filter.before);
    auto rows = database.run(fmt::format("SELECT seq, at, actor, address, action, subject, changes "
                                         "FROM audit {} ORDER BY seq DESC LIMIT $1",
                                         where),
                             parameters);
    if (!rows) return propagate(rows);
    AuditPage page;
    page.has_more = rows->size() > filter.limit;
    for (std::size_t row = 0; row < std::min(rows->size(), filter.limit); ++row) {
        AuditEntry entry;
        entry.id = rows->integer(row, 0);
        entry.at = time_of(rows->integer(row, 1));
        entry.by = {std::string(rows->text(row, 2)), std::string(rows->text(row, 3))};
        entry.action = rows->text(row, 4);
        entry.subject = rows->text(row, 5);
        entry.changes_json = rows->text(row, 6);
        page.entries.push_back(std::move(entry));
    }
    return page;
}

}  // namespace runnel::storage
