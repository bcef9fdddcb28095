#pragma once

#include "storage/records/records.hpp"

#include <string>

namespace runnel::testing {

// Noon of a day, in whole hours.
inline constexpr access::UtcTime some_noon{
    std::chrono::hours(490'000) - std::chrono::hours(490'000 % 24) + std::chrono::hours(12)};

// A request that went well, and cost 13.5 thousandths of a dollar.
inline storage::Record some_record(const std::string& entry_id, access::UtcTime time = some_noon) {
    storage::Record record;
    record.entry_id = entry_id;
    record.request_id = "req-" + entry_id;
    record.time = time;
    record.key_id = "key-1";
    record.team = "blue";
    record.model_asked = "smart";
    record.model_served = "gpt-5";
    record.provider = "openai";
    record.status = 200;
    record.finish = "stop";
    record.stream = true;
    record.tokens = {.input = 2000, .cached = 100, .output = 500, .reasoning = 50};
    record.cost = Money::from_usd(0.0135);
    record.lines_json = R"([{"sku":"input","quantity":2000,"unit_price":0.000003,)"
                        R"("amount_nano_usd":6000000,"description":"tokens \"read\""}])";
    record.details_json = R"({"timings_ms":{"total":12.5},"bytes_out":100})";
    return record;
}

}  // namespace runnel::testing
