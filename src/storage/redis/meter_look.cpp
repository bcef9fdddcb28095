#include "storage/redis/meter.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

// How the counters in Redis stand, for those who only want to know.
namespace runnel::storage {
namespace {

using metering::Claim;
using metering::Standing;

std::int64_t number_in(const RedisReply& reply) {
    std::int64_t number = 0;
    std::from_chars(reply.text.data(), reply.text.data() + reply.text.size(), number);
    return number;
}

}  // namespace

// Counters that were asked for. The answers come on the client's thread, or, where they can't be
// sent, on the caller's.
struct RedisMeter::Looking {
    Claim claim;
    metering::LedgerSums::Sums sums;
    Looked answer;
    std::vector<Standing> standings{};
    bool failed = false;
    std::mutex mutex{};
    std::size_t missing = 0;
};

std::optional<metering::RateState> RedisMeter::glance(const Claim& claim) const {
    if (!client_.connected() && local_ != nullptr) return local_->glance(claim);
    const std::scoped_lock lock(mutex_);
    return metering::rate_of(claim, last_rates_.recall(claim, Clock::now()));
}

void RedisMeter::look(const Claim& claim, Looked answer) {
    if (!client_.connected()) return look_without_redis(claim, std::move(answer));
    sums_->find(claim, [this, claim, answer = std::move(answer)](
                           Result<metering::LedgerSums::Sums> sums) mutable {
        if (sums)
            look_in_redis(claim, std::move(*sums), std::move(answer));
        else
            answer(fail(std::move(sums.error())));
    });
}

void RedisMeter::look_in_redis(const Claim& claim, metering::LedgerSums::Sums sums, Looked answer) {
    const std::size_t count = claim.holds.size();
    if (count == 0) return answer(std::vector<Standing>());
    const auto looking = std::make_shared<Looking>(claim, std::move(sums), std::move(answer));
    looking->standings.resize(count);
    looking->missing = count;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string key = slot_of(claim.holds[i]) + std::string(claim.holds[i].own_counter());
        client_.command({"HMGET", key, "used", "reserved"},
                        [this, looking, i](Result<RedisReply> reply) {
                            std::unique_lock lock(looking->mutex);
                            if (reply && reply->list.size() == 2) {
                                // What Redis does not know, or has lost, is in the ledger.
                                looking->standings[i] = {std::max(number_in(reply->list[0]),
                                                                  looking->sums[i].spent.nano_usd),
                                                         number_in(reply->list[1])};
                            } else {
                                looking->failed = true;
                            }
                            if (--looking->missing > 0) return;
                            lock.unlock();
                            if (looking->failed)
                                look_without_redis(looking->claim, std::move(looking->answer));
                            else
                                looking->answer(std::move(looking->standings));
                        });
    }
}

void RedisMeter::look_without_redis(const Claim& claim, Looked answer) {
    if (local_ != nullptr) return local_->look(claim, std::move(answer));
    answer(fail(cannot_check()));
}

}  // namespace runnel::storage
