#include "storage/redis/meter.hpp"

#include "storage/redis/meter_scripts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace runnel::storage {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using metering::Claim;
using metering::Hold;
using metering::Settlement;

constexpr milliseconds record_time = 24h;  // of a claim that nobody settles
constexpr milliseconds over_time = 10min;  // in which a command may yet come twice
constexpr milliseconds place_time = 5min;  // of a machine that is gone: its places and spenders
constexpr milliseconds renewal_time = 1min;
constexpr milliseconds denied_retry_time = 1s;
constexpr std::size_t waiting_settles_max = 100'000;
constexpr std::size_t ids_per_renewal = 500;

// The largest number that Lua counts exactly: nine million dollars.
constexpr std::int64_t most = std::int64_t{1} << 53;

std::string_view kind_of(const Hold& hold) {
    if (hold.of == Hold::Of::places) return "place";
    if (hold.of == Hold::Of::nano_usd) return "money";
    return hold.period == Hold::Period::minute ? "minute" : "calendar";
}

std::string text_of(std::int64_t number) {
    return std::to_string(std::clamp<std::int64_t>(number, 0, most));
}
std::string text_of(milliseconds time) { return std::to_string(time.count()); }

}  // namespace

// A claim whose answers are under way. They come on the client's thread, or, where they can't be
// sent, on the caller's.
struct RedisMeter::Reservation {
    Claim claim;
    Answer answer;
    std::vector<Part> parts{};
    std::vector<bool> held{};  // by part
    std::vector<metering::CounterState> states{};
    metering::LedgerSums::Sums spent{};
    Clock::time_point asked = Clock::now();
    std::optional<std::size_t> full{};
    bool unknown = false;  // Redis has no counter for a budget
    bool failed = false;
    std::mutex mutex{};
    std::size_t missing = 0;
};

RedisMeter::RedisMeter(RedisAddress address, metering::LocalMeter* local,
                       metering::LedgerSums* sums, RedisClient::Options options)
    : local_(local),
      sums_(sums),
      client_(std::move(address), with_hooks(std::move(options))) {
    client_.start();
}

RedisClient::Options RedisMeter::with_hooks(RedisClient::Options options) {
    options.scripts = {&reserve_script(), &settle_script(), &renew_script()};
    options.on_connected = [this] { connected(); };
    options.on_tick = [this] { tick(); };
    return options;
}

std::string RedisMeter::slot_of(const Hold& hold) {
    return fmt::format("runnel:{{{}}}:", metering::name_of(hold.holder));
}

std::vector<RedisMeter::Part> RedisMeter::parts_of(const Claim& claim, const std::string& id) {
    std::map<std::string, Part> by_holder;
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        const Hold& hold = claim.holds[i];
        const std::string slot = slot_of(hold);
        Part& part = by_holder[slot];
        part.id = id;
        part.record = fmt::format("{}claim:{}", slot, id);
        part.counters.push_back(
            {i, slot + std::string(hold.own_counter()), kind_of(hold), hold.of});
    }
    std::vector<Part> parts;
    for (auto& [slot, part] : by_holder) parts.push_back(std::move(part));
    return parts;
}

// Who has claims on a counter of money.
std::string RedisMeter::spenders_of(const Counter& counter) { return counter.key + ":spenders"; }

std::vector<std::string> RedisMeter::keys_of(const Part& part) {
    std::vector<std::string> keys{part.record};
    for (const Counter& counter : part.counters) keys.push_back(counter.key);
    for (const Counter& counter : part.counters)
        if (counter.of == Hold::Of::nano_usd) keys.push_back(spenders_of(counter));
    return keys;
}

void RedisMeter::reserve(const Claim& claim, Answer answer) {
    if (!client_.connected()) return decide_without_redis(claim, std::move(answer));
    if (const auto sums = sums_->known(claim))
        return reserve_in_redis(claim, *sums, Asked::before, std::move(answer));
    ask_ledger(claim, Asked::before, std::move(answer));
}

void RedisMeter::ask_ledger(const Claim& claim, Asked asked, Answer answer) {
    sums_->find(claim, [this, claim, asked, answer = std::move(answer)](
                           Result<metering::LedgerSums::Sums> sums) mutable {
        if (sums)
            reserve_in_redis(claim, *sums, asked, std::move(answer));
        else
            answer({std::move(sums.error())});
    });
}

void RedisMeter::reserve_in_redis(const Claim& claim, const metering::LedgerSums::Sums& sums,
                                  Asked asked, Answer answer) {
    const auto reservation = std::make_shared<Reservation>(claim, std::move(answer));
    // Asked twice it is two claims: the first may yet have to be given back.
    const std::string id = asked == Asked::just_now ? claim.id + "-2" : claim.id;
    reservation->parts = parts_of(claim, id);
    const std::size_t count = reservation->parts.size();
    reservation->held.resize(count);
    reservation->states.resize(claim.holds.size());
    reservation->spent.resize(claim.holds.size());
    reservation->missing = count;
    // The last part's answer may come before run() returns, and takes the parts away.
    for (std::size_t i = 0; i < count; ++i) {
        const Part& part = reservation->parts[i];
        Call call{keys_of(part),
                  {id, text_of(record_time), text_of(place_time),
                   asked == Asked::just_now ? "yes" : "no"}};
        for (const Counter& counter : part.counters) {
            const Hold& hold = claim.holds[counter.hold];
            for (std::string& word : std::vector<std::string>{
                     std::string(counter.kind), text_of(hold.limit), text_of(hold.amount),
                     text_of(metering::kept_for(hold)), text_of(sums[counter.hold].spent.nano_usd)})
                call.arguments.push_back(std::move(word));
        }
        client_.run(reserve_script(), call.keys, call.arguments,
                    [this, reservation, i](Result<RedisReply> reply) {
                        take_reply(reservation, i, std::move(reply));
                    });
    }
}

void RedisMeter::take_reply(const std::shared_ptr<Reservation>& reservation, std::size_t part_index,
                            Result<RedisReply> reply) {
    constexpr std::size_t per_counter = 4;
    std::unique_lock lock(reservation->mutex);
    Part& part = reservation->parts[part_index];
    const std::size_t size = 2 + per_counter * part.counters.size();
    if (reply && reply->list.size() == size) {
        const std::vector<RedisReply>& list = reply->list;
        reservation->held[part_index] = list[0].text == "held";
        for (std::size_t i = 0; i < part.counters.size(); ++i) {
            Counter& counter = part.counters[i];
            const RedisReply* told = &list[2 + per_counter * i];
            const Hold& hold = reservation->claim.holds[counter.hold];
            const bool is_minute = hold.period == Hold::Period::minute;
            reservation->states[counter.hold] = {
                told[0].number, is_minute ? milliseconds(told[1].number) : hold.lasts};
            counter.born = told[2].text;
            reservation->spent[counter.hold] = {Money{told[3].number}, reservation->asked};
        }
        if (list[0].text == "full") {
            const std::size_t full =
                part.counters[static_cast<std::size_t>(list[1].number) - 1].hold;
            reservation->full = std::min(full, reservation->full.value_or(full));
        }
    } else if (reply && !reply->list.empty() && reply->list[0].text == "unknown") {
        reservation->unknown = true;
    } else {
        reservation->failed = true;
    }
    if (--reservation->missing > 0) return;
    lock.unlock();
    decide(*reservation);
}

void RedisMeter::decide(Reservation& reservation) {
    const Claim& claim = reservation.claim;
    const bool answered = !reservation.failed && !reservation.unknown;
    if (answered) {
        const std::scoped_lock lock(mutex_);
        last_rates_.note(claim, reservation.states, Clock::now());
        // What this machine has spent and not told Redis yet is not in it.
        if (waiting_settles_.empty()) sums_->hear(claim, reservation.spent);
        if (!reservation.full) open_.insert_or_assign(claim.id, std::move(reservation.parts));
    }
    if (answered && !reservation.full) {
        if (local_ != nullptr) local_->note(claim);
        return reservation.answer(metering::verdict_on(claim, reservation.states, std::nullopt));
    }
    // Where no answer came it may be held all the same.
    for (std::size_t i = 0; i < reservation.parts.size(); ++i)
        if (reservation.held[i] || reservation.failed)
            send_settle(settle_call(reservation.parts[i], {}));
    if (reservation.failed) return decide_without_redis(claim, std::move(reservation.answer));
    if (reservation.full)
        return reservation.answer(
            metering::verdict_on(claim, reservation.states, reservation.full));
    sums_->doubt(claim, metering::LedgerSums::OldOnes::will_not_do);
    ask_ledger(claim, Asked::just_now, std::move(reservation.answer));
}

void RedisMeter::decide_without_redis(const Claim& claim, Answer answer) {
    {
        const std::scoped_lock lock(mutex_);
        ++without_redis_;
    }
    if (local_ == nullptr) return answer({cannot_check()});
    // What others spend is known from the ledger alone, from now on.
    if (!alone_.exchange(true)) {
        sums_->doubt(metering::LedgerSums::OldOnes::will_not_do);
        sums_->refresh(metering::LedgerSums::Refresh::often);
    }
    local_->reserve(claim, std::move(answer));
}

Error RedisMeter::cannot_check() {
    Error error{ErrorKind::store_unavailable,
                "Limits can't be checked at the moment. Try again soon."};
    error.retry_after = denied_retry_time;
    return error;
}

void RedisMeter::settle(std::string_view claim_id, const Settlement& settlement) {
    std::vector<Part> parts;
    {
        const std::scoped_lock lock(mutex_);
        if (auto found = open_.extract(std::string(claim_id))) parts = std::move(found.mapped());
    }
    for (const Part& part : parts) send_settle(settle_call(part, settlement));
    if (local_ != nullptr) local_->settle(claim_id, settlement);
}

RedisMeter::Call RedisMeter::settle_call(const Part& part, const Settlement& settlement) {
    Call call{keys_of(part), {part.id, text_of(over_time)}};
    for (const Counter& counter : part.counters) {
        call.arguments.emplace_back(counter.kind);
        call.arguments.push_back(text_of(metering::used_in_the_end(counter.of, settlement)));
        call.arguments.push_back(counter.born);
    }
    return call;
}

void RedisMeter::send_settle(Call call) {
    const auto sent = std::make_shared<Call>(std::move(call));
    client_.run(settle_script(), sent->keys, sent->arguments,
                [this, sent](Result<RedisReply> reply) {
                    if (!reply) keep_settle(std::move(*sent));
                });
}

void RedisMeter::keep_settle(Call call) {
    const std::scoped_lock lock(mutex_);
    waiting_settles_.push_back(std::move(call));
    if (waiting_settles_.size() <= waiting_settles_max) return;
    waiting_settles_.pop_front();
    ++settles_lost_;
}

void RedisMeter::connected() {
    // Redis may have lost what it knew.
    sums_->doubt(metering::LedgerSums::OldOnes::will_do);
    sums_->refresh(metering::LedgerSums::Refresh::seldom);
    alone_ = false;
    send_waiting_settles();
    renew_leases();
}

void RedisMeter::tick() {
    send_waiting_settles();
    if (Clock::now() >= renew_at_) renew_leases();
}

void RedisMeter::send_waiting_settles() {
    std::deque<Call> calls;
    {
        const std::scoped_lock lock(mutex_);
        calls.swap(waiting_settles_);
    }
    for (Call& call : calls) send_settle(std::move(call));
}

void RedisMeter::renew_leases() {
    renew_at_ = Clock::now() + renewal_time;
    std::map<std::string, std::vector<std::string>> ids_by_key;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto& [claim_id, parts] : open_)
            for (const Part& part : parts)
                for (const Counter& counter : part.counters)
                    if (counter.of == Hold::Of::places)
                        ids_by_key[counter.key].push_back(part.id);
                    else if (counter.of == Hold::Of::nano_usd)
                        ids_by_key[spenders_of(counter)].push_back(part.id);
    }
    for (const auto& [key, ids] : ids_by_key)
        for (std::size_t at = 0; at < ids.size(); at += ids_per_renewal) {
            const std::size_t end = std::min(at + ids_per_renewal, ids.size());
            std::vector<std::string> arguments{text_of(place_time)};
            arguments.insert(arguments.end(), ids.begin() + static_cast<std::ptrdiff_t>(at),
                             ids.begin() + static_cast<std::ptrdiff_t>(end));
            client_.run(renew_script(), {key}, arguments, [](const Result<RedisReply>&) {});
        }
}

RedisMeter::Figures RedisMeter::figures() const {
    const std::scoped_lock lock(mutex_);
    return {client_.connected(), without_redis_, waiting_settles_.size(), settles_lost_};
}

}  // namespace runnel::storage
