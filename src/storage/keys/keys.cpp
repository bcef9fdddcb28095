#include "storage/keys/keys.hpp"

#include "storage/keys/key_json.hpp"
#include "storage/sql/sql_time.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace runnel::storage {
namespace {

using access::Key;

constexpr std::string_view column_names =
    "id, name, hash, masked, kind, team, wallet, dialect, enabled, expires_at, rules, metadata, "
    "created_at, updated_at";

constexpr std::string_view secret_kind = "secret";
constexpr std::string_view browser_kind = "browser";

// A key's columns, in their order, as parameters. It must outlive them.
class KeyColumns {
public:
    explicit KeyColumns(const Key& key) : rules_(rules_json(key)) {
        parameters_ = {
            key.id,
            key.name,
            key.hash,
            key.masked,
            key.kind == Key::Kind::browser ? browser_kind : secret_kind,
            key.team,
            key.wallet,
            key.dialect,
            std::int64_t{key.enabled},
            nullptr,
            rules_,
            key.metadata_json,
            ms_of(key.created_at),
            ms_of(key.updated_at),
        };
        if (key.expires_at) parameters_[9] = ms_of(*key.expires_at);
    }
    KeyColumns(const KeyColumns&) = delete;
    std::span<const Parameter> parameters() const { return parameters_; }

private:
    std::string rules_;
    std::array<Parameter, 14> parameters_;
};

Result<Key> key_of(const Rows& rows, std::size_t row) {
    Key key;
    key.id = rows.text(row, 0);
    key.name = rows.text(row, 1);
    key.hash = rows.text(row, 2);
    key.masked = rows.text(row, 3);
    key.kind = rows.text(row, 4) == browser_kind ? Key::Kind::browser : Key::Kind::secret;
    key.team = rows.text(row, 5);
    key.wallet = rows.text(row, 6);
    key.dialect = rows.text(row, 7);
    key.enabled = rows.integer(row, 8) != 0;
    if (!rows.is_null(row, 9)) key.expires_at = time_of(rows.integer(row, 9));
    key.metadata_json = rows.text(row, 11);
    key.created_at = time_of(rows.integer(row, 12));
    key.updated_at = time_of(rows.integer(row, 13));
    if (auto read = read_rules(std::string(rows.text(row, 10)), key); !read) return propagate(read);
    return key;
}

Result<Rows> select_keys(Database& database, std::string_view which,
                         std::initializer_list<Parameter> parameters = {}) {
    return database.run(fmt::format("SELECT {} FROM api_keys {}", column_names, which), parameters);
}

// First in every change: whoever comes second waits here until the first one is done.
Result<void> raise_version(Database& database) {
    auto raised = database.run("UPDATE counters SET value = value + 1 WHERE name = 'keys_version'");
    if (!raised) return propagate(raised);
    return {};
}

Result<void> note_change(Database& database, const Key* before, const Key* after, const Actor& by) {
    const auto now =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    return add_audit_entry(database, key_entry(before, after, by, now));
}

std::unexpected<Error> no_such_key(std::string_view id) {
    return fail(ErrorKind::not_found, fmt::format("there is no key '{}'", id));
}

}  // namespace

Result<std::int64_t> keys_version(Database& database) {
    auto rows = database.run("SELECT value FROM counters WHERE name = 'keys_version'");
    if (!rows) return propagate(rows);
    return rows->empty() ? 0 : rows->integer(0, 0);
}

Result<KeyList> list_keys(Database& database) {
    // The version first: what changes in between is read again after the next look at it.
    auto version = keys_version(database);
    if (!version) return propagate(version);
    auto rows = select_keys(database, "ORDER BY created_at, id");
    if (!rows) return propagate(rows);
    KeyList list{*version, {}};
    list.keys.reserve(rows->size());
    for (std::size_t row = 0; row < rows->size(); ++row) {
        auto key = key_of(*rows, row);
        if (!key) return propagate(key);
        list.keys.push_back(std::move(*key));
    }
    return list;
}

Result<std::optional<Key>> find_key(Database& database, std::string_view id) {
    auto rows = select_keys(database, "WHERE id = $1", {id});
    if (!rows) return propagate(rows);
    if (rows->empty()) return std::nullopt;
    auto key = key_of(*rows, 0);
    if (!key) return propagate(key);
    return std::move(*key);
}

Result<void> insert_key(Database& database, const Key& key, const Actor& by) {
    const KeyColumns columns(key);
    auto done = database.transaction([&]() -> Result<void> {
        if (auto raised = raise_version(database); !raised) return raised;
        auto inserted = database.run(
            fmt::format("INSERT INTO api_keys ({}) VALUES "
                        "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
                        column_names),
            columns.parameters());
        if (!inserted) return propagate(inserted);
        return note_change(database, nullptr, &key, by);
    });
    if (!done && done.error().kind == ErrorKind::invalid_value)
        done.error().message =
            fmt::format("there is a key '{}', or one with this secret, already", key.id);
    return done;
}

Result<Key> change_key(Database& database, std::string_view id, const Actor& by,
                       const std::function<Result<void>(Key&)>& change) {
    std::optional<Key> key;
    auto done = database.transaction([&]() -> Result<void> {
        if (auto raised = raise_version(database); !raised) return raised;
        auto found = find_key(database, id);
        if (!found) return propagate(found);
        if (!*found) return no_such_key(id);
        const Key before = **found;
        key = std::move(*found);
        if (auto changed = change(*key); !changed) return changed;
        key->id = id;
        const KeyColumns columns(*key);
        auto updated = database.run(
            "UPDATE api_keys SET name = $2, hash = $3, masked = $4, kind = $5, team = $6, "
            "wallet = $7, dialect = $8, enabled = $9, expires_at = $10, rules = $11, "
            "metadata = $12, created_at = $13, updated_at = $14 WHERE id = $1",
            columns.parameters());
        if (!updated) return propagate(updated);
        return note_change(database, &before, &*key, by);
    });
    if (!done) return propagate(done);
    return std::move(*key);
}

Result<void> delete_key(Database& database, std::string_view id, const Actor& by) {
    return database.transaction([&]() -> Result<void> {
        if (auto raised = raise_version(database); !raised) return raised;
        auto found = find_key(database, id);
        if (!found) return propagate(found);
        if (!*found) return no_such_key(id);
        auto deleted = database.run("DELETE FROM api_keys WHERE id = $1", {id});
        if (!deleted) return propagate(deleted);
        return note_change(database, &**found, nullptr, by);
    });
}

}  // namespace runnel::storage
