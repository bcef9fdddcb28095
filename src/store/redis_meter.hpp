#pragma once

#include "policy/ledger_sums.hpp"
#include "policy/local_meter.hpp"
#include "policy/meter.hpp"
#include "policy/settings.hpp"
#include "store/redis_client.hpp"

#include <cstdint>
#include <memory>

namespace runnel::store {

// Limits and budgets that hold across machines. What happens while Redis can't be reached is the
// config's choice: the local meter counts alone, or nobody is let in.
class RedisMeter final : public policy::Meter {
public:
    struct Figures {
        bool connected = false;
        std::uint64_t without_redis = 0;    // claims that were decided, or refused, without it
        std::uint64_t settles_waiting = 0;  // for it to come back
        std::uint64_t settles_lost = 0;     // because too many waited
    };

    // The client is the meter's own choice of scripts; others may use it beside it.
    RedisMeter(RedisAddress address, policy::SharedSettings::WithoutIt without_it,
               policy::LocalMeter* local, policy::LedgerSums* sums);
    ~RedisMeter() override;

    void reserve(const policy::Claim& claim, Answer answer) override;
    void settle(std::string_view claim_id, const policy::Settlement& settlement) override;

    RedisClient& client();
    Figures figures() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace runnel::store
