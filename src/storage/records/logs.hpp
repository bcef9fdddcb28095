#pragma once

#include "storage/records/records.hpp"
#include "storage/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Reading what append() wrote. Records whose time is over (retention.hpp) are not listed.
namespace runnel::storage {

// Which requests; what is empty asks for nothing.
struct LogFilter {
    std::optional<std::string> key_id{};  // "" is a key too: nobody's
    std::string team{};
    std::string model{};  // asked for, or served
    std::string provider{};
    std::optional<std::pair<int, int>> status{};  // from, to; both included
    std::string error{};                          // a code; "*": any
    std::optional<access::UtcTime> from{};
    std::optional<access::UtcTime> to{};  // not included
    std::string id_prefix{};              // of the completion id or the request id
};

// How much of each record is read.
enum class Detail { columns, record, content };

struct LogPage {
    std::vector<Record> records;  // newest first
    bool has_more = false;
};

// The newest that pass the filter, after (older than) the entry with the id `after`; empty: from
// the newest on. The id of a page's last record is where the next one begins: whatever is added
// meanwhile, nothing is left out or comes twice. An `after` that this filter can't have listed is
// invalid_value, as is a prefix that too many ids begin with.
Result<LogPage> list_records(Database& database, const LogFilter& filter, std::string_view after,
                             std::size_t limit, Detail detail);

// How many pass the filter, exactly; whole hours are counted from the roll-ups.
Result<std::int64_t> count_records(Database& database, const LogFilter& filter);

// By completion id, else by request id, the newest; with `key_id`, only where that key asked. One
// whose time is over is found with its columns alone.
Result<std::optional<Record>> find_record(Database& database, std::string_view id,
                                          const std::optional<std::string>& key_id, Detail detail);

}  // namespace runnel::storage
