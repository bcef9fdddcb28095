#include "storage/sql/migrations.hpp"

#include <fmt/format.h>

#include <chrono>

namespace runnel::storage {
namespace {

// Each is what one version adds to the one before it. Once released it stays as it is. The words in
// braces differ:
//   {name}     text that is compared byte by byte, in whatever language the database was made
//   {counted}  a number that the database gives to each new row
//   {number}   one that we give
//   {sorted}   rows lie in the order of their key
constexpr std::string_view version_1[] = {
    R"(CREATE TABLE counters (name {name} PRIMARY KEY, value BIGINT NOT NULL))",
    R"(INSERT INTO counters (name, value) VALUES
        ('keys_version', 0), ('kept_since', 0), ('ledger_seq', 0))",

    R"(CREATE TABLE api_keys (
        id {name} PRIMARY KEY,
        name TEXT NOT NULL,
        hash {name} NOT NULL UNIQUE,
        masked TEXT NOT NULL,
        kind TEXT NOT NULL,
        team TEXT NOT NULL,
        wallet TEXT NOT NULL,
        dialect TEXT NOT NULL,
        enabled BIGINT NOT NULL,
        expires_at BIGINT,
        rules TEXT NOT NULL,
        metadata TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL))",

    R"(CREATE TABLE kinds (
        id {counted},
        key_id {name} NOT NULL,
        team {name} NOT NULL,
        model_asked {name} NOT NULL,
        model_served {name} NOT NULL,
        provider {name} NOT NULL,
        status BIGINT NOT NULL,
        error {name} NOT NULL,
        UNIQUE (key_id, team, model_asked, model_served, provider, status, error)))",

    R"(CREATE TABLE ledger (
        seq {number},
        entry_id {name} NOT NULL,
        request_id {name} NOT NULL,
        began BIGINT NOT NULL,
        kind BIGINT NOT NULL,
        finish TEXT NOT NULL,
        stream BIGINT NOT NULL,
        input_tokens BIGINT NOT NULL,
        cached_tokens BIGINT NOT NULL,
        output_tokens BIGINT NOT NULL,
        reasoning_tokens BIGINT NOT NULL,
        cost BIGINT,
        lines TEXT NOT NULL))",
    R"(CREATE UNIQUE INDEX ledger_entry ON ledger (entry_id))",
    R"(CREATE INDEX ledger_request ON ledger (request_id))",
    R"(CREATE INDEX ledger_began ON ledger (began, seq))",
    R"(CREATE INDEX ledger_kind ON ledger (kind, began, seq))",

    R"(CREATE TABLE records (seq {number}, record TEXT NOT NULL, timeline TEXT))",

    R"(CREATE TABLE usage_hours (
        hour BIGINT NOT NULL,
        kind BIGINT NOT NULL,
        requests BIGINT NOT NULL,
        input_tokens BIGINT NOT NULL,
        cached_tokens BIGINT NOT NULL,
        output_tokens BIGINT NOT NULL,
        reasoning_tokens BIGINT NOT NULL,
        cost BIGINT NOT NULL,
        unpriced BIGINT NOT NULL,
        PRIMARY KEY (hour, kind)){sorted})",
    R"(CREATE INDEX usage_hours_kind ON usage_hours (kind, hour))",
};

constexpr std::string_view version_2[] = {
    R"(CREATE TABLE audit (
        seq {counted},
        at BIGINT NOT NULL,
        actor TEXT NOT NULL,
        address TEXT NOT NULL,
        action {name} NOT NULL,
        subject {name} NOT NULL,
        changes TEXT NOT NULL))",
    R"(CREATE INDEX audit_action ON audit (action, seq))",
    R"(CREATE INDEX audit_subject ON audit (subject, seq))",
};

constexpr std::string_view version_3[] = {
    R"(CREATE TABLE responses (
        id {name} PRIMARY KEY,
        owner {name} NOT NULL,
        previous {name} NOT NULL,
        created BIGINT NOT NULL,
        input TEXT NOT NULL,
        response TEXT NOT NULL))",
    R"(CREATE INDEX responses_created ON responses (created))",
};

constexpr std::string_view version_4[] = {
    R"(ALTER TABLE responses ADD COLUMN running_until BIGINT)",
    R"(ALTER TABLE responses ADD COLUMN frames TEXT NOT NULL DEFAULT '')",

    R"(CREATE TABLE conversations (
        id {name} PRIMARY KEY,
        owner {name} NOT NULL,
        created BIGINT NOT NULL,
        used BIGINT NOT NULL,
        metadata TEXT NOT NULL,
        next_place BIGINT NOT NULL,
        bytes BIGINT NOT NULL))",
    R"(CREATE INDEX conversations_used ON conversations (used))",
    R"(CREATE TABLE conversation_items (
        conversation {name} NOT NULL,
        place BIGINT NOT NULL,
        id {name} NOT NULL,
        item TEXT NOT NULL,
        PRIMARY KEY (conversation, place)){sorted})",
};

constexpr std::span<const std::string_view> versions[] = {version_1, version_2, version_3,
                                                          version_4};

struct Words {
    std::string_view name;
    std::string_view counted;
    std::string_view number;
    std::string_view sorted;
    std::string_view find_version_table;
};

constexpr Words sqlite_words{
    .name = "TEXT",
    .counted = "INTEGER PRIMARY KEY",
    .number = "INTEGER PRIMARY KEY",
    .sorted = " WITHOUT ROWID",
    .find_version_table = "SELECT name FROM sqlite_master WHERE name = 'schema_version'",
};

constexpr Words postgres_words{
    .name = R"(TEXT COLLATE "C")",
    .counted = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    .number = "BIGINT PRIMARY KEY",
    .sorted = "",
    .find_version_table = "SELECT 1 WHERE to_regclass('schema_version') IS NOT NULL",
};

// Any number will do, if others who use the same server don't choose it too.
constexpr std::int64_t postgres_lock = 7'402'615'339'021'846;

Result<std::int64_t> version_of(Database& database, const Words& words) {
    auto table = database.run(words.find_version_table);
    if (!table) return propagate(table);
    if (table->empty()) {
        auto made = database.run(
            "CREATE TABLE schema_version (version BIGINT PRIMARY KEY, since BIGINT NOT NULL)");
        if (!made) return propagate(made);
        return 0;
    }
    auto version = database.run("SELECT MAX(version) FROM schema_version");
    if (!version) return propagate(version);
    return version->integer(0, 0);
}

Result<void> go_to(Database& database, std::int64_t version, const Words& words) {
    for (const std::string_view statement : versions[version - 1]) {
        const std::string text =
            fmt::format(fmt::runtime(statement), fmt::arg("name", words.name),
                        fmt::arg("counted", words.counted), fmt::arg("number", words.number),
                        fmt::arg("sorted", words.sorted));
        if (auto done = database.run(text); !done) return propagate(done);
    }
    const auto now =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    auto noted = database.run("INSERT INTO schema_version (version, since) VALUES ($1, $2)",
                              {version, std::int64_t{now.time_since_epoch().count()}});
    if (!noted) return propagate(noted);
    return {};
}

}  // namespace

Result<void> migrate(Database& database) {
    const bool is_postgres = database.kind() == Database::Kind::postgres;
    const Words& words = is_postgres ? postgres_words : sqlite_words;
    return database.transaction([&]() -> Result<void> {
        // SQLite's transaction is the only one that writes; PostgreSQL's are many.
        if (is_postgres) {
            auto locked = database.run("SELECT pg_advisory_xact_lock($1)", {postgres_lock});
            if (!locked) return propagate(locked);
        }
        auto version = version_of(database, words);
        if (!version) return propagate(version);
        const auto newest = static_cast<std::int64_t>(std::size(versions));
        if (*version > newest)
            return fail(
                ErrorKind::store_unavailable,
                fmt::format("The store was made by a newer Runnel: its tables are of version {}, "
                            "and this one knows {}. Use the newer Runnel, or another store.",
                            *version, newest));
        while (*version < newest) {
            ++*version;
            if (auto done = go_to(database, *version, words); !done) return propagate(done);
        }
        return {};
    });
}

}  // namespace runnel::storage
