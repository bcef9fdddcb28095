#include "router/health.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>

namespace runnel::router {

using std::chrono::ceil;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

// The newest figure's share in the moving average: one in so many.
constexpr int average_over = 5;

// How many busy targets are passed over in search of one to drop; whoever holds the lock is brief.
constexpr int busy_targets_passed = 16;

struct TargetHealth {
    std::string name;
    Breaker breaker{};
    Health::Time rests_until{};
    microseconds first_token{0};
    std::uint32_t leaves = 0;  // not settled yet

    bool resting(Health::Time now) const { return now < rests_until; }
    bool unknown() const {
        return leaves == 0 && breaker.untouched() && rests_until == Health::Time{} &&
               first_token.count() == 0;
    }
    Health::Time ready_at(Health::Time now) const {
        return std::max(breaker.ready_at(now), rests_until);
    }
};

std::string_view name_of(Breaker::State state) {
    switch (state) {
        case Breaker::State::closed: return "closed";
        case Breaker::State::open: return "open";
        case Breaker::State::half_open: return "half-open";
    }
    return "";
}

}  // namespace

struct Health::Table {
    const std::size_t targets_max;
    std::mutex mutex{};
    // Below, all under the mutex.
    std::list<TargetHealth> targets{};  // the last one used first
    // Views of the targets' own names: looking one up allocates nothing.
    std::unordered_map<std::string_view, std::list<TargetHealth>::iterator> by_name{};

    TargetHealth* find(std::string_view name) {
        const auto found = by_name.find(name);
        return found == by_name.end() ? nullptr : &*found->second;
    }

    // Null when there is no room: nothing is known of that target then.
    TargetHealth* find_or_add(std::string_view name) {
        if (const auto found = by_name.find(name); found != by_name.end()) {
            targets.splice(targets.begin(), targets, found->second);
            return &targets.front();
        }
        if (targets.size() >= targets_max && !make_room()) return nullptr;
        targets.push_front({.name = std::string(name)});
        by_name.emplace(targets.front().name, targets.begin());
        return &targets.front();
    }

    bool make_room() {
        auto target = targets.end();
        for (int passed = 0; target != targets.begin() && passed < busy_targets_passed; ++passed) {
            if ((--target)->leaves > 0) continue;
            drop(target);
            return true;
        }
        return false;
    }

    void drop(std::list<TargetHealth>::iterator target) {
        by_name.erase(target->name);
        targets.erase(target);
    }

    // The target whose leave is settled; null if it is not known.
    TargetHealth* settle(std::string_view name) {
        TargetHealth* target = find(name);
        if (target && target->leaves > 0) --target->leaves;
        return target;
    }
};

Health::Health(std::size_t targets_max) : table_(new Table{.targets_max = targets_max}) {}

Health::~Health() = default;

Health::Standing Health::standing(std::string_view name, Time now) const {
    const std::scoped_lock lock(table_->mutex);
    const TargetHealth* target = table_->find(name);
    if (!target) return Standing::ready;
    if (!target->breaker.ready(now)) return Standing::open;
    return target->resting(now) ? Standing::resting : Standing::ready;
}

Health::Time Health::ready_at(std::string_view name, Time now) const {
    const std::scoped_lock lock(table_->mutex);
    const TargetHealth* target = table_->find(name);
    return target ? target->ready_at(now) : now;
}

std::optional<Health::Leave> Health::admit(std::string_view name, Need need, Time now) {
    const std::scoped_lock lock(table_->mutex);
    TargetHealth* target = table_->find_or_add(name);
    if (!target) return Leave{};
    const auto leave = target->breaker.admit(need, now);
    if (leave) ++target->leaves;
    return leave;
}

void Health::succeeded(std::string_view name, Leave leave, milliseconds first_token, Time now) {
    const std::scoped_lock lock(table_->mutex);
    TargetHealth* target = table_->settle(name);
    if (!target) return;
    target->breaker.succeeded(leave, now);
    const microseconds known = target->first_token;
    const microseconds next = std::max(microseconds(first_token), microseconds(1));
    target->first_token = known.count() == 0 ? next : known + (next - known) / average_over;
}

void Health::failed(std::string_view name, Leave leave, Time now) {
    const std::scoped_lock lock(table_->mutex);
    if (TargetHealth* target = table_->settle(name)) target->breaker.failed(leave, now);
}

void Health::said_nothing(std::string_view name, Leave leave) {
    const std::scoped_lock lock(table_->mutex);
    TargetHealth* target = table_->settle(name);
    if (!target) return;
    target->breaker.said_nothing(leave);
    if (target->unknown()) table_->drop(table_->by_name.find(name)->second);
}

void Health::broke_off(std::string_view name, Leave leave, Time now) {
    const std::scoped_lock lock(table_->mutex);
    if (TargetHealth* target = table_->find(name)) target->breaker.broke_off(leave, now);
}

void Health::rest(std::string_view name, Time until) {
    const std::scoped_lock lock(table_->mutex);
    if (TargetHealth* target = table_->find_or_add(name))
        target->rests_until = std::max(target->rests_until, until);
}

microseconds Health::first_token(std::string_view name) const {
    const std::scoped_lock lock(table_->mutex);
    const TargetHealth* target = table_->find(name);
    return target ? target->first_token : microseconds(0);
}

std::vector<Health::Entry> Health::entries(Time now) const {
    std::vector<Entry> entries;
    {
        const std::scoped_lock lock(table_->mutex);
        entries.reserve(table_->targets.size());
        for (const TargetHealth& target : table_->targets) {
            const Breaker::Count count = target.breaker.recent(now);
            entries.push_back({.name = target.name,
                               .breaker = std::string(name_of(target.breaker.state(now))),
                               .ready_in = ceil<milliseconds>(target.ready_at(now) - now),
                               .successes = count.successes,
                               .failures = count.failures,
                               .first_token = target.first_token});
        }
    }
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
}

}  // namespace runnel::router
