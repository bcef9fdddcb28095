#pragma once

#include "storage/records/records.hpp"
#include "storage/sql/sql.hpp"

#include <cstdint>
#include <map>

namespace runnel::storage {

// Gathers what a batch adds to the roll-ups, and adds it.
class RollUp {
public:
    void add(const Record& record, std::int64_t kind);
    // In the transaction that adds the records.
    Result<void> write(Database& database) const;

private:
    struct Place {
        std::int64_t hour;
        std::int64_t kind;
        friend auto operator<=>(const Place&, const Place&) = default;
    };
    struct Sums {
        std::int64_t requests = 0;
        Tokens tokens{};
        Money cost{};
        std::int64_t unpriced = 0;
    };

    // In order, so that two machines that write at once wait for each other, and never both.
    std::map<Place, Sums> sums_;
};

}  // namespace runnel::storage
