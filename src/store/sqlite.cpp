#include "store/sqlite.hpp"

#include "store/migrations.hpp"
#include "store/storable_text.hpp"
#include "store/store_limits.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <unordered_map>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace runnel::store {
namespace {

constexpr std::string_view file_name = "runnel.db";

// Of SQLite's virtual machine: well below a millisecond.
constexpr int steps_between_looks_at_the_clock = 10'000;

constexpr std::string_view settings[] = {
    // Records lie one after another: of twice the usual size, half as many pages are written.
    "PRAGMA page_size = 8192",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA wal_autocheckpoint = 4000",
    "PRAGMA journal_size_limit = 67108864",
    "PRAGMA cache_size = -4096",
    "PRAGMA temp_store = MEMORY",
    // What is deleted is overwritten.
    "PRAGMA secure_delete = ON",
};

struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};

struct Prepared {
    std::unique_ptr<sqlite3_stmt, Finalize> statement;
    // SQLite numbers parameters as they come: [0] is which of ours its first one is.
    std::vector<std::size_t> parameters{};
};

// Lets statements be found by a view of their text.
struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
};

Error error_of(int code, std::string_view detail) {
    switch (code & 0xff) {
        case SQLITE_CONSTRAINT:
        case SQLITE_TOOBIG:
        case SQLITE_MISMATCH:
            return {ErrorKind::invalid_value,
                    "The store refuses this value.",
                    {},
                    fmt::format("SQLite: {}", detail)};
        case SQLITE_INTERRUPT:
            return {ErrorKind::store_unavailable,
                    "The store took too long to answer.",
                    {},
                    fmt::format("SQLite: {}", detail)};
        default:
            return {ErrorKind::store_unavailable,
                    fmt::format("The store can't be used: {}.", sqlite3_errstr(code)),
                    {},
                    fmt::format("SQLite: {}", detail)};
    }
}

class SqliteDatabase final : public Database {
public:
    explicit SqliteDatabase(std::unique_ptr<sqlite3, Close> connection)
        : connection_(std::move(connection)) {
        sqlite3_extended_result_codes(connection_.get(), 1);
        sqlite3_busy_timeout(connection_.get(),
                             std::chrono::milliseconds(limits::connect_time).count());
        sqlite3_progress_handler(connection_.get(), steps_between_looks_at_the_clock,
                                 &SqliteDatabase::is_late, this);
    }

    Kind kind() const override { return Kind::sqlite; }

    using Database::run;
    Result<Rows> run(std::string_view statement, std::span<const Parameter> parameters) override {
        Rows rows;
        auto prepared = prepare(statement, rows);
        if (!prepared) return propagate(prepared);
        if (auto done = run_once(**prepared, parameters, rows); !done) return propagate(done);
        return rows;
    }

    Result<Rows> run_each(std::string_view statement, std::size_t width,
                          std::span<const Parameter> parameters) override {
        Rows rows;
        auto prepared = prepare(statement, rows);
        if (!prepared) return propagate(prepared);
        for (; !parameters.empty(); parameters = parameters.subspan(width)) {
            if (auto done = run_once(**prepared, parameters.first(width), rows); !done)
                return propagate(done);
        }
        return rows;
    }

    Result<void> wipe_deleted() override { return run_alone("PRAGMA wal_checkpoint(TRUNCATE)"); }

protected:
    // At once for writing: a transaction that reads first and then can't write would have to be
    // given up.
    Result<void> begin() override { return run_alone("BEGIN IMMEDIATE"); }
    Result<void> commit() override { return run_alone("COMMIT"); }
    void roll_back() override {
        // After some errors SQLite has done so itself.
        if (sqlite3_get_autocommit(connection_.get()) == 0) (void)run_alone("ROLLBACK");
    }

private:
    static int is_late(void* self) {
        return std::chrono::steady_clock::now() > static_cast<SqliteDatabase*>(self)->deadline_;
    }

    Result<void> run_alone(std::string_view statement) {
        auto done = run(statement);
        if (!done) return propagate(done);
        return {};
    }

    // The statement, and as many columns in `rows` as it answers. Its time begins.
    Result<Prepared*> prepare(std::string_view text, Rows& rows) {
        auto prepared = find_or_prepare(text);
        if (!prepared) return propagate(prepared);
        rows.set_columns(
            static_cast<std::size_t>(sqlite3_column_count((*prepared)->statement.get())));
        deadline_ = std::chrono::steady_clock::now() + limits::statement_time;
        return prepared;
    }

    Result<Prepared*> find_or_prepare(std::string_view text) {
        if (const auto known = prepared_.find(text); known != prepared_.end())
            return &known->second;
        if (prepared_.size() >= limits::prepared_statements) prepared_.clear();
        sqlite3_stmt* statement = nullptr;
        const int code =
            sqlite3_prepare_v3(connection_.get(), text.data(), static_cast<int>(text.size()),
                               SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
        if (code != SQLITE_OK) return fail(error_of(code, sqlite3_errmsg(connection_.get())));
        Prepared prepared{std::unique_ptr<sqlite3_stmt, Finalize>(statement)};
        for (int at = 1; at <= sqlite3_bind_parameter_count(statement); ++at) {
            const std::string_view name = sqlite3_bind_parameter_name(statement, at);  // "$1"
            std::size_t number = 0;
            std::from_chars(name.data() + 1, name.data() + name.size(), number);
            prepared.parameters.push_back(number - 1);
        }
        return &prepared_.emplace(std::string(text), std::move(prepared)).first->second;
    }

    Result<void> run_once(Prepared& prepared, std::span<const Parameter> parameters, Rows& rows) {
        sqlite3_stmt* statement = prepared.statement.get();
        for (std::size_t at = 0; at < prepared.parameters.size(); ++at) {
            const int code =
                bind(statement, static_cast<int>(at) + 1, parameters[prepared.parameters[at]]);
            if (code != SQLITE_OK) return fail(error_of(code, sqlite3_errstr(code)));
        }
        int code = SQLITE_OK;
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) add_row(statement, rows);
        Error error;
        if (code != SQLITE_DONE) error = error_of(code, sqlite3_errmsg(connection_.get()));
        sqlite3_reset(statement);
        mended_.clear();
        if (code != SQLITE_DONE) return fail(std::move(error));
        return {};
    }

    // Text is not copied: whoever runs the statement keeps it.
    int bind(sqlite3_stmt* statement, int at, const Parameter& parameter) {
        if (const auto* number = std::get_if<std::int64_t>(&parameter))
            return sqlite3_bind_int64(statement, at, *number);
        if (const auto* real = std::get_if<double>(&parameter))
            return sqlite3_bind_double(statement, at, *real);
        if (const auto* text = std::get_if<std::string_view>(&parameter)) {
            const std::string_view kept = mended_.of(*text);
            return sqlite3_bind_text64(statement, at, kept.empty() ? "" : kept.data(), kept.size(),
                                       SQLITE_STATIC, SQLITE_UTF8);
        }
        return sqlite3_bind_null(statement, at);
    }

    static void add_row(sqlite3_stmt* statement, Rows& rows) {
        for (int column = 0; column < sqlite3_column_count(statement); ++column) {
            const auto* text = sqlite3_column_text(statement, column);
            if (text == nullptr) {
                rows.add(std::nullopt);
                continue;
            }
            rows.add(
                std::string(reinterpret_cast<const char*>(text),
                            static_cast<std::size_t>(sqlite3_column_bytes(statement, column))));
        }
    }

    std::unique_ptr<sqlite3, Close> connection_;
    std::unordered_map<std::string, Prepared, TextHash, std::equal_to<>> prepared_;
    std::chrono::steady_clock::time_point deadline_{};
    StorableText mended_;
};

// The file before SQLite makes it, because nobody else may read it; its companions take after it.
Result<void> make_file(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::is_directory(file.parent_path(), error) &&
        !std::filesystem::create_directories(file.parent_path(), error))
        return fail(ErrorKind::store_unavailable,
                    fmt::format("The folder {} can't be made: {}.", file.parent_path().string(),
                                error.message()));
    // A file that is there is not touched: closing it would take away the locks that other
    // connections of this process have on it, and whoever closes the store next would delete the
    // log that they still write to.
    const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (made < 0 && errno == EEXIST) return {};
    if (made < 0)
        return fail(ErrorKind::store_unavailable,
                    fmt::format("{} can't be written: {}.", file.string(), std::strerror(errno)));
    ::close(made);
    return {};
}

}  // namespace

Result<std::unique_ptr<Database>> open_sqlite(const std::filesystem::path& data_folder) {
    const std::filesystem::path file = data_folder / file_name;
    if (auto made = make_file(file); !made) return propagate(made);
    sqlite3* connection = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &connection,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    std::unique_ptr<sqlite3, Close> owned(connection);
    if (code != SQLITE_OK) return fail(error_of(code, file.string()));
    auto database = std::make_unique<SqliteDatabase>(std::move(owned));
    for (const std::string_view setting : settings) {
        if (auto done = database->run(setting); !done) return propagate(done);
    }
    if (auto migrated = migrate(*database); !migrated) return propagate(migrated);
    return database;
}

}  // namespace runnel::store
