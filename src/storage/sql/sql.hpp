#pragma once

#include "base/result.hpp"
#include "storage/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace runnel::storage {

// What stands for $1, $2 … in a statement. Text is a view: it must live until the statement has
// run. What no database takes (bytes that are not UTF-8, zeros) is stored as U+FFFD.
using Parameter = std::variant<std::nullptr_t, std::int64_t, double, std::string_view>;

// What a statement answered.
class Rows {
public:
    std::size_t size() const { return columns_ == 0 ? 0 : cells_.size() / columns_; }
    bool empty() const { return cells_.empty(); }

    bool is_null(std::size_t row, std::size_t column) const {
        return !cell(row, column).has_value();
    }
    // Empty for null. Valid as long as the rows are.
    std::string_view text(std::size_t row, std::size_t column) const;
    // 0 for null.
    std::int64_t integer(std::size_t row, std::size_t column) const;

    // For the databases: row by row, each with as many cells.
    void set_columns(std::size_t columns) { columns_ = columns; }
    void add(std::optional<std::string> value) { cells_.push_back(std::move(value)); }

private:
    const std::optional<std::string>& cell(std::size_t row, std::size_t column) const {
        return cells_[row * columns_ + column];
    }

    std::size_t columns_ = 0;
    std::vector<std::optional<std::string>> cells_;
};

// One connection to an SQL database. Calls block, so it lives on a thread of its own (StoreThread),
// and one thread at a time uses it. A database that can't be reached, is full or can't be written
// is an error of the kind store_unavailable, and the same call may succeed later; a value that it
// refuses (a key that is there already) is invalid_value, and the same call fails again.
class Database {
public:
    enum class Kind { sqlite, postgres };

    virtual ~Database() = default;
    virtual Kind kind() const = 0;

    // One statement with $1, $2 …, in the SQL that both databases understand. Its text is prepared
    // once and remembered: write values as parameters, never into it.
    virtual Result<Rows> run(std::string_view statement, std::span<const Parameter> parameters) = 0;
    Result<Rows> run(std::string_view statement, std::initializer_list<Parameter> parameters = {}) {
        return run(statement, std::span(parameters.begin(), parameters.size()));
    }

    // The same statement for each `width` parameters, in few round trips. Answers the rows of all
    // of them, in their order. Call it in a transaction: otherwise some may have run when it fails.
    virtual Result<Rows> run_each(std::string_view statement, std::size_t width,
                                  std::span<const Parameter> parameters) = 0;

    // All of what `body` does, or, where it or the commit fails, nothing. It does not nest. A
    // commit whose answer is lost is an error too, though it may have happened.
    Result<void> transaction(const std::function<Result<void>()>& body);

    // Sees to it that what was deleted can't be read from the disk any more, as far as the database
    // lets us: PostgreSQL does it in its own time.
    virtual Result<void> wipe_deleted() = 0;

protected:
    virtual Result<void> begin() = 0;
    virtual Result<void> commit() = 0;
    virtual void roll_back() = 0;
};

// The store that the config names, migrated to this version's tables. SQLite: runnel.db in
// `data_folder`, which is made where it is missing. PostgreSQL is reached when it is first used, so
// that a server that is down is no error here.
Result<std::unique_ptr<Database>> open_database(const storage::StoreSettings& settings,
                                                const std::filesystem::path& data_folder);

// The same for one that can't be opened now, but perhaps soon: it is tried again whenever it is
// used.
Result<std::unique_ptr<Database>> open_database_later(const storage::StoreSettings& settings,
                                                      const std::filesystem::path& data_folder);

}  // namespace runnel::storage
