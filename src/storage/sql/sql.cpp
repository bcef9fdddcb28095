#include "storage/sql/sql.hpp"

#include "storage/sql/postgres.hpp"
#include "storage/sql/sqlite.hpp"

#include <charconv>

namespace runnel::storage {

std::string_view Rows::text(std::size_t row, std::size_t column) const {
    const auto& value = cell(row, column);
    return value ? std::string_view(*value) : std::string_view();
}

std::int64_t Rows::integer(std::size_t row, std::size_t column) const {
    const std::string_view digits = text(row, column);
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

Result<void> Database::transaction(const std::function<Result<void>()>& body) {
    if (auto begun = begin(); !begun) return propagate(begun);
    auto done = body();
    if (done) done = commit();
    if (!done) roll_back();
    return done;
}

Result<std::unique_ptr<Database>> open_database(const storage::StoreSettings& settings,
                                                const std::filesystem::path& data_folder) {
    switch (settings.kind) {
        case storage::StoreSettings::Kind::postgres: return open_postgres(settings.url);
        case storage::StoreSettings::Kind::sqlite: break;
    }
    return open_sqlite(data_folder);
}

Result<std::unique_ptr<Database>> open_database_later(const storage::StoreSettings& settings,
                                                      const std::filesystem::path& data_folder) {
    if (settings.kind == storage::StoreSettings::Kind::postgres)
        return open_database(settings, data_folder);
    return open_sqlite_later(data_folder);
}

}  // namespace runnel::storage
