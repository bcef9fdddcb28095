#pragma once

#include "store/records.hpp"

#include <string>

namespace runnel::testing {

// Noon of a day, in whole hours.
inline constexpr policy::UtcTime some_noon{
    std::chrono::hours(490'000) - std::chrono::hours(490'000 % 24) + std::chrono::hours(12)};

// A request that went well, and cost 13.5 thousandths of a dollar.
inline store::Record some_record(const std::string& entry_id, policy::UtcTime time = some_noon) {
    store::Record record;
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
    record.lines = {
        {"input", 2000, 0.000003, Money::from_usd(0.006), "tokens read", "reported"},
        {"output", 500, 0.000015, Money::from_usd(0.0075), "tokens \"written\"", "counted"},
    };
    record.record_json = R"({"id":")" + entry_id + R"(","attempts":[]})";
    return record;
}

}  // namespace runnel::testing
