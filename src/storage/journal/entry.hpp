#pragma once

#include "access/key.hpp"
#include "base/money.hpp"
#include "storage/records/records.hpp"
#include "telemetry/request_log.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// What the journal's bytes say. They are read by this program alone, perhaps a newer one.
namespace runnel::storage {

// What is known of a request before its first provider is called. Views: whoever is handed one
// copies what it keeps.
struct Opening {
    std::string_view completion_id;
    std::string_view request_id{};
    std::string_view key_id{};
    std::string_view team{};
    std::string_view model{};   // as it was asked for
    std::string_view target{};  // provider/model, the first that is called
    access::UtcTime began{};
    std::int64_t input_tokens = 0;    // estimated
    std::int64_t output_tokens = 0;   // at most
    std::optional<Money> reserved{};  // for both; none: the price is not known
    std::string_view claim_id{};      // of the budget's reservation; empty: there is none
    std::string_view budget_model{};  // whose budget it is reserved in too; empty: in no model's
    bool stream = false;
};

// Writes it into `to`, which has room for OpenSlots::payload_bytes_max bytes; how many it took, 0
// where it can't fit. Long names are cut short; ids and the team are not.
std::size_t write_opening(Opening opening, char* to);
std::optional<Opening> read_opening(std::string_view bytes);

// A request that is over. A view.
struct Closing {
    std::string_view entry_id;
    const telemetry::RequestRecord* record;
    std::string_view lines_json{};
    std::string_view details_json{};
    std::string_view timeline_json{};
};

std::size_t closing_bytes(const Closing& closing);
void write_closing(const Closing& closing, char* to);
std::optional<Record> read_closing(std::string_view bytes);

// What is kept of a request that was open when its process ended.
Record crashed_record(const Opening& opening);

}  // namespace runnel::storage
