#include "storage/sql/sqlite.hpp"

#include "base/log.hpp"
#include "storage/journal/private_folder.hpp"
#include "storage/limits.hpp"
#include "storage/sql/migrations.hpp"
#include "storage/sql/storable_text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <random>
#include <unordered_map>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace runnel::storage {
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
    "PRAGMA cache_size = -2048",
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

// SQLite takes one byte for none, and every database has more than its head.
constexpr std::uintmax_t head_bytes_of_database = 100;

// A store that is there and has no byte was one, and is not any more: nobody is given an empty one
// in its place without a word.
Result<void> check_file(const std::filesystem::path& file) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error || bytes > head_bytes_of_database) return {};
    return fail(ErrorKind::store_unavailable,
                fmt::format("{} is empty ({} bytes): the store that was there is gone. Put it back "
                            "from a backup; or delete the file, and keys, budgets and logs begin "
                            "anew.",
                            file.string(), bytes));
}

Result<void> write_first_page(const std::filesystem::path& file) {
    sqlite3* connection = nullptr;
    int code = sqlite3_open_v2(file.c_str(), &connection,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, Close> closes(connection);
    if (code == SQLITE_OK)
        code = sqlite3_exec(connection,
                            "PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; "
                            "PRAGMA application_id = 1381322316",  // "RUNL"
                            nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return fail(error_of(code, file.string()));
    return {};
}

// The file before SQLite makes it, because nobody else may read it; its companions take after it.
// It gets its name when it has its first page, so one that is empty is not one that is being made.
Result<void> make_file(const std::filesystem::path& file) {
    if (const auto error = make_private_folder(file.parent_path()))
        return fail(ErrorKind::store_unavailable,
                    fmt::format("The folder {} can't be made: {}.", file.parent_path().string(),
                                error.message()));
    // A file that is there is not touched: closing it would take away the locks that other
    // connections of this process have on it, and whoever closes the store next would delete the
    // log that they still write to.
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) return check_file(file);
    const std::filesystem::path unnamed =
        fmt::format("{}.new-{}-{}", file.string(), ::getpid(), std::random_device()());
    const auto failed = [&] {
        return fail(ErrorKind::store_unavailable,
                    fmt::format("{} can't be written: {}.", file.string(), std::strerror(errno)));
    };
    const int made =
        ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (made < 0) return failed();
    ::close(made);
    auto written = write_first_page(unnamed);
    // Not over one that somebody else has made meanwhile.
    bool named = written && ::link(unnamed.c_str(), file.c_str()) == 0;
    const bool is_there_already = !named && errno == EEXIST;
    // Some file systems know no second names.
    if (written && !named && !is_there_already)
        named = ::rename(unnamed.c_str(), file.c_str()) == 0;
    ::unlink(unnamed.c_str());
    if (!written) return written;
    if (!named && !is_there_already) return failed();
    if (named && std::filesystem::exists(file.parent_path() / "journal", ignored))
        log::Line(log::Level::warning,
                  "a new, empty store was made: there was none, though there is a journal")
            .add("file", file.string())
            .write();
    return {};
}

class SqliteDatabase final : public Database {
public:
    explicit SqliteDatabase(std::filesystem::path file) : file_(std::move(file)) {}

    Kind kind() const override { return Kind::sqlite; }

    // Where it fails, whatever is run next tries it again, though not at once.
    Result<void> be_open() {
        let_go_of_lost_file();
        if (connection_) return {};
        if (Clock::now() < next_attempt_) return fail(why_not_);
        auto opened = open();
        if (opened) {
            pause_ = limits::reconnect_pause_min;
            return opened;
        }
        close();
        why_not_ = std::move(opened.error());
        next_attempt_ = Clock::now() + pause_;
        pause_ = std::min<Clock::duration>(pause_ * 2, limits::reconnect_pause_max);
        return fail(why_not_);
    }

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
        if (connection_ && sqlite3_get_autocommit(connection_.get()) == 0)
            (void)run_alone("ROLLBACK");
    }

private:
    using Clock = std::chrono::steady_clock;

    static int is_late(void* self) {
        return Clock::now() > static_cast<SqliteDatabase*>(self)->deadline_;
    }

    void close() {
        prepared_.clear();
        connection_.reset();
    }

    // SQLite would go on with a file that was deleted or moved away, and what it writes there is
    // nowhere. Not within a transaction, which is one connection's.
    void let_go_of_lost_file() {
        if (!connection_ || sqlite3_get_autocommit(connection_.get()) == 0) return;
        int has_moved = 0;
        sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
        if (has_moved == 0) return;
        log::Line(log::Level::error, "the store's file is gone, or another one is in its place")
            .add("file", file_.string())
            .write();
        close();
    }

    // One that was here is not made anew: it may be on a disk that comes back.
    Result<void> find_or_make_file() const {
        if (!was_open_) return make_file(file_);
        std::error_code error;
        if (std::filesystem::exists(file_, error)) return check_file(file_);
        return fail(
            ErrorKind::store_unavailable,
            fmt::format("{} is gone. Put it back, or start anew without it.", file_.string()));
    }

    Result<void> open() {
        if (auto there = find_or_make_file(); !there) return there;
        sqlite3* connection = nullptr;
        const int code = sqlite3_open_v2(file_.c_str(), &connection,
                                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
        connection_.reset(connection);
        if (code != SQLITE_OK) return fail(error_of(code, file_.string()));
        sqlite3_extended_result_codes(connection, 1);
        sqlite3_busy_timeout(connection, std::chrono::milliseconds(limits::connect_time).count());
        sqlite3_progress_handler(connection, steps_between_looks_at_the_clock,
                                 &SqliteDatabase::is_late, this);
        for (const std::string_view setting : settings)
            if (auto done = run_alone(setting); !done) return done;
        if (auto done = migrate(*this); !done) return done;
        was_open_ = true;
        return {};
    }

    Result<void> run_alone(std::string_view statement) {
        auto done = run(statement);
        if (!done) return propagate(done);
        return {};
    }

    // The statement, and as many columns in `rows` as it answers. Its time begins.
    Result<Prepared*> prepare(std::string_view text, Rows& rows) {
        if (auto opened = be_open(); !opened) return propagate(opened);
        auto prepared = find_or_prepare(text);
        if (!prepared) return propagate(prepared);
        rows.set_columns(
            static_cast<std::size_t>(sqlite3_column_count((*prepared)->statement.get())));
        deadline_ = Clock::now() + limits::statement_time;
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

    std::filesystem::path file_;
    std::unique_ptr<sqlite3, Close> connection_;
    bool was_open_ = false;
    Clock::duration pause_ = limits::reconnect_pause_min;
    Clock::time_point next_attempt_{};
    Error why_not_;
    std::unordered_map<std::string, Prepared, TextHash, std::equal_to<>> prepared_;
    Clock::time_point deadline_{};
    StorableText mended_;
};

}  // namespace

Result<std::unique_ptr<Database>> open_sqlite(const std::filesystem::path& data_folder) {
    auto database = std::make_unique<SqliteDatabase>(data_folder / file_name);
    if (auto opened = database->be_open(); !opened) return propagate(opened);
    return database;
}

std::unique_ptr<Database> open_sqlite_later(const std::filesystem::path& data_folder) {
    return std::make_unique<SqliteDatabase>(data_folder / file_name);
}

}  // namespace runnel::storage
