#pragma once

#include "provider/provider.hpp"

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace runnel::provider {

// How long the provider asks to wait: its retry-after headers, else `told_in_body` (Google's
// RetryInfo), else the reset time of the rate-limit bucket that is empty. Times of day are measured
// against the reply's own `date` header, so no clock is needed. Never zero.
std::optional<std::chrono::milliseconds>
retry_delay(const std::vector<Header>& headers,
            std::optional<std::chrono::milliseconds> told_in_body);

// "Wed, 21 Oct 2026 07:28:00 GMT", the only form of a header's date that servers send today.
std::optional<std::chrono::sys_seconds> read_http_date(std::string_view text);

// A duration as Go and Google write it: "1h2m3.5s", "12ms", "48s".
std::optional<std::chrono::milliseconds> read_duration(std::string_view text);

}  // namespace runnel::provider
