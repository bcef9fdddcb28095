#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::telemetry {

// What a collector made of the spans that it was sent.
struct OtlpReply {
    enum class Kind { taken, try_again, refused } kind = Kind::taken;
    std::int64_t rejected_spans = 0;              // of those that were taken
    std::optional<std::chrono::seconds> after{};  // when to try again, where it says so
    std::string detail{};                         // why, for the operator
};

// `retry_after` is the value of that header, `body` the beginning of what it said.
OtlpReply read_otlp_reply(int status, std::string_view retry_after, std::string_view body);

}  // namespace runnel::telemetry
