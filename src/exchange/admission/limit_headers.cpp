#include "exchange/admission/limit_headers.hpp"

#include <algorithm>
#include <string>

namespace runnel::exchange {

namespace {

constexpr std::string_view limit_field = "X-RateLimit-Limit";

}  // namespace

void add_rate_fields(const metering::RateState& rate, access::UtcTime now,
                     http::HeaderList* headers) {
    headers->add(limit_field, std::to_string(rate.limit));
    headers->add("X-RateLimit-Remaining",
                 std::to_string(std::max<std::int64_t>(rate.remaining, 0)));
    const auto reset = std::chrono::ceil<std::chrono::seconds>(now + rate.resets_in);
    headers->add("X-RateLimit-Reset", std::to_string(reset.time_since_epoch().count()));
}

bool has_rate_fields(const http::HeaderList& headers) { return headers.has(limit_field); }

}  // namespace runnel::exchange
