#include "storage/redis/last_rates.hpp"

#include <gtest/gtest.h>

#include <string>

namespace runnel::storage {
namespace {

using namespace std::chrono_literals;
using metering::Claim;
using metering::CounterState;

constexpr LastRates::Time start{};

Claim claim_of(const std::string& key_id) {
    access::Key key{key_id};
    key.limits = {.rpm = 5, .tpm = 100};
    return metering::make_claim("c", {&key, "m"}, {}, access::UtcTime(std::chrono::days(20'000)));
}

TEST(LastRates, KeepsWhatWasHeardUntilItsTimeIsOver) {
    LastRates rates;
    const Claim claim = claim_of("k1");
    rates.note(claim, std::vector<CounterState>{{3, 40s}, {90, 40s}}, start);
    const auto later = rates.recall(claim, start + 15s);
    EXPECT_EQ(later.at(0).used, 3);
    EXPECT_EQ(later.at(0).resets_in, 25s);
    const auto over = rates.recall(claim, start + 40s);
    EXPECT_EQ(over.at(0).used, 0);
    EXPECT_EQ(over.at(0).resets_in, 60s);
    EXPECT_EQ(rates.recall(claim_of("k2"), start).at(0).used, 0);
}

TEST(LastRates, ForgetsWhatIsOver) {
    LastRates rates;
    for (int i = 0; i < 20'000; ++i)
        rates.note(claim_of(std::to_string(i)), std::vector<CounterState>{{1, 60s}, {}},
                   start + i * 1s);
    EXPECT_LE(rates.size(), 4096u);
}

}  // namespace
}  // namespace runnel::storage
