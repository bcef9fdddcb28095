#include "router/attempt_plan.hpp"

#include "router/failure_rule.hpp"
#include "router/target_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::router {

using std::chrono::ceil;
using std::chrono::milliseconds;
using Then = FailureRule::Then;
using Standing = Health::Standing;
using namespace std::chrono_literals;

namespace {

constexpr milliseconds pause_first = 100ms;  // the first pause is one to two of these
constexpr milliseconds pause_max = 5s;
// Longer than this nobody is waited for while somebody else could be asked.
constexpr milliseconds patience = 2s;
// Nor longer than this in any case: the client knows better what to do with so much time.
constexpr milliseconds last_patience = 10s;
// Who waits for the same rest to end comes within this time after it.
constexpr milliseconds spread = 100ms;
// When a client is told to come back for whom nobody could be asked.
constexpr milliseconds come_back = 1s;

bool may_retry(Then then) { return then == Then::retry || then == Then::other_key_or_retry; }

}  // namespace

struct AttemptPlan::Key {
    std::string name;
    bool asked = false;   // on this request
    bool barred = false;  // of no more use to it
    Time not_before{};    // as the provider said on this request
};

struct AttemptPlan::TargetState {
    std::vector<Key> keys{};
    std::optional<std::int64_t> context_length{};
    std::size_t key = 0;  // to begin with, then the last one asked
    enum class Stage { untried, asked, done } stage = Stage::untried;
    bool shunned = false;           // seemed ready and was not: a last resort from now on
    Need need = Need::choice;       // of the attempt given last
    bool once = false;              // that is a last resort
    bool retrying = false;          // that is a retry
    bool stale_connection = false;  // it never got there
    std::optional<Then> then{};     // what its last failure allows; empty: nothing, or under way
    int retries = 0;
    Time not_before{};  // of the next retry

    bool untried() const { return stage == Stage::untried; }
};

struct AttemptPlan::Held {
    std::size_t target;
    std::size_t key;
    Health::Leave leave;
    bool spoke = false;
};

struct AttemptPlan::Retry {
    std::size_t target;
    std::size_t key;
    Time at;
};

milliseconds backoff(int nth, AttemptPlan::Random& random) {
    milliseconds most = pause_first;
    for (int i = 0; i < nth && most < pause_max; ++i) most *= 2;
    most = std::min(most, pause_max);
    return milliseconds(std::uniform_int_distribution(most.count() / 2 + 1, most.count())(random));
}

AttemptPlan::AttemptPlan(std::vector<Target> targets, Limits limits, Health* health, Random random,
                         Clock::time_point now)
    : health_(health),
      random_(random),
      ends_(now + std::min(limits.window, limits.timeout.value_or(limits.window))),
      times_out_(limits.timeout ? now + *limits.timeout : Time::max()),
      retries_left_(std::max(limits.retries, 0)),
      last_error_{ErrorKind::model_unavailable,
                  "no target of this model could be asked in time",
                  {},
                  {},
                  come_back} {
    // The first numbers of small seeds are small.
    random_.discard(2);
    targets_.resize(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const std::size_t keys = std::max<std::size_t>(targets[i].keys, 1);
        targets_[i].context_length = targets[i].context_length;
        targets_[i].keys.reserve(keys);
        for (std::size_t key = 1; key <= keys; ++key)
            targets_[i].keys.push_back(
                {key == 1 ? targets[i].name : fmt::format("{}#{}", targets[i].name, key)});
        if (keys > 1)
            targets_[i].key = std::uniform_int_distribution<std::size_t>(0, keys - 1)(random_);
    }
    order_ = order(limits.strategy, targets, now);
}

AttemptPlan::~AttemptPlan() {
    for (const Held& held : held_)
        if (!held.spoke)
            health_->said_nothing(targets_[held.target].keys[held.key].name, held.leave);
}

std::vector<std::size_t> AttemptPlan::order(Strategy strategy, const std::vector<Target>& targets,
                                            Time now) {
    std::vector<Candidate> candidates(targets.size());
    for (std::size_t i = 0; i < targets.size() && strategy != Strategy::failover; ++i) {
        candidates[i].weight = targets[i].weight;
        if (const auto key = ready_key(targets_[i], now))
            candidates[i].first_token = health_->first_token(targets_[i].keys[*key].name);
        else
            candidates[i].fit = Candidate::Fit::unfit;
    }
    return order_of(strategy, candidates, random_);
}

std::optional<Attempt> AttemptPlan::next(Time now) {
    if (over_ || now >= times_out_) return std::nullopt;
    std::optional<Attempt> attempt;
    if (last_failed_) attempt = again(*last_failed_, now);
    if (last_failed_ && !attempt) attempt = other_key(*last_failed_, now);
    if (last_failed_ && !attempt) attempt = retry_soon(*last_failed_, now);
    if (!attempt) attempt = untried(now);
    if (!attempt) attempt = last_resort(now);
    if (!attempt) attempt = retry_late(now);
    return attempt;
}

std::optional<Attempt> AttemptPlan::hedge(Time now) {
    if (over_ || now >= times_out_) return std::nullopt;
    return untried(now);
}

bool AttemptPlan::begin(const Attempt& attempt, Time now) {
    TargetState& target = targets_[attempt.target];
    Key& key = target.keys[attempt.key];
    if (now >= times_out_) return false;
    const auto leave = health_->admit(key.name, target.need, now);
    if (!leave) {
        refused(attempt);
        return false;
    }
    if (target.retrying) {
        --retries_left_;
        ++target.retries;
    }
    held_.push_back({attempt.target, attempt.key, *leave});
    target.stage = TargetState::Stage::asked;
    target.key = attempt.key;
    target.then.reset();
    key.asked = true;
    ++attempts_;
    return true;
}

// A breaker has opened meanwhile, or somebody else probes the target. The same is not offered again
// before those who were not asked yet, so that a plan comes to its end whatever others do to the
// targets.
void AttemptPlan::refused(const Attempt& attempt) {
    TargetState& target = targets_[attempt.target];
    if (target.retrying)
        last_failed_.reset();
    else if (target.untried())
        target.shunned = true;
    else
        target.keys[attempt.key].barred = true;
}

std::optional<Attempt> AttemptPlan::again(std::size_t at, Time now) {
    TargetState& target = targets_[at];
    if (!std::exchange(target.stale_connection, false)) return std::nullopt;
    const bool once = target.once;
    const Attempt attempt = give(at, target.key, target.need, now, now);
    target.once = once;
    target.retrying = retries_left_ > 0;
    return attempt;
}

std::optional<Attempt> AttemptPlan::other_key(std::size_t at, Time now) {
    const TargetState& target = targets_[at];
    if (target.then != Then::other_key && target.then != Then::other_key_or_retry)
        return std::nullopt;
    const auto key = ready_key(target, now);
    if (!key) return std::nullopt;
    return give(at, *key, Need::choice, now, now);
}

std::optional<Attempt> AttemptPlan::retry_soon(std::size_t target, Time now) {
    const auto retry = soonest(target, OpenTargets::skipped, now);
    if (!retry || retry->at > now + patience || retry->at >= ends_) return std::nullopt;
    return give_retry(*retry, Need::choice, now);
}

std::optional<Attempt> AttemptPlan::untried(Time now) {
    for (const std::size_t at : order_)
        if (const auto key = first_key(targets_[at], now))
            return give(at, *key, Need::choice, now, now);
    return std::nullopt;
}

std::optional<Attempt> AttemptPlan::last_resort(Time now) {
    const auto ready_at = [&](const Key& key) { return health_->ready_at(key.name, now); };
    for (const std::size_t at : order_) {
        TargetState& target = targets_[at];
        if (!target.untried()) continue;
        const auto key = std::ranges::min_element(target.keys, {}, ready_at);
        const Time ready = ready_at(*key);
        const bool rest_ends_soon = health_->standing(key->name, now) != Standing::open &&
                                    ready <= now + patience && ready + spread < ends_;
        Time when = now;
        if (rest_ends_soon && ready > now) when = ready + jitter();
        const auto key_at = static_cast<std::size_t>(key - target.keys.begin());
        const Attempt attempt = give(at, key_at, Need::last_resort, when, now);
        target.once = !rest_ends_soon && attempts_ > 0;
        // Whoever seems to be down and is the only one gets one more chance, not all of them.
        if (attempts_ == 0 && !rest_ends_soon) retries_left_ = std::min(retries_left_, 1);
        return attempt;
    }
    return std::nullopt;
}

std::optional<Attempt> AttemptPlan::retry_late(Time now) {
    std::optional<Retry> first;
    for (const std::size_t at : order_)
        if (const auto retry = soonest(at, OpenTargets::taken, now);
            retry && (!first || retry->at < first->at))
            first = retry;
    if (!first || first->at >= ends_ || first->at > now + last_patience) return std::nullopt;
    return give_retry(*first, Need::last_resort, now);
}

std::optional<std::size_t> AttemptPlan::ready_key(const TargetState& target, Time now) const {
    for (std::size_t i = 0; i < target.keys.size(); ++i) {
        const std::size_t at = (target.key + i) % target.keys.size();
        const Key& key = target.keys[at];
        if (!key.asked && !key.barred && health_->standing(key.name, now) == Standing::ready)
            return at;
    }
    return std::nullopt;
}

// Of a target that was not asked yet.
std::optional<std::size_t> AttemptPlan::first_key(const TargetState& target, Time now) const {
    if (!target.untried() || target.shunned) return std::nullopt;
    return ready_key(target, now);
}

// When and with which key the target may be asked again, the last one asked by preference.
std::optional<AttemptPlan::Retry> AttemptPlan::soonest(std::size_t at, OpenTargets open,
                                                       Time now) const {
    const TargetState& target = targets_[at];
    if (retries_left_ == 0 || !target.then || !may_retry(*target.then)) return std::nullopt;
    std::optional<Retry> best;
    for (std::size_t i = 0; i < target.keys.size(); ++i) {
        const std::size_t key_at = (target.key + i) % target.keys.size();
        const Key& key = target.keys[key_at];
        if (key.barred) continue;
        if (open == OpenTargets::skipped && health_->standing(key.name, now) == Standing::open)
            continue;
        // A rest that this request has brought about is known from the answer: Health's may be
        // longer than what the provider asked for.
        const Time key_ready = key.asked ? key.not_before : health_->ready_at(key.name, now);
        const Time when = std::max(target.not_before, key_ready);
        if (!best || when < best->at) best = {at, key_at, when};
    }
    return best;
}

Attempt AttemptPlan::give_retry(const Retry& retry, Need need, Time now) {
    const Attempt attempt = give(retry.target, retry.key, need, retry.at, now);
    targets_[retry.target].retrying = true;
    return attempt;
}

Attempt AttemptPlan::give(std::size_t at, std::size_t key, Need need, Time when, Time now) {
    targets_[at].need = need;
    targets_[at].once = false;
    targets_[at].retrying = false;
    bool others = false;
    for (std::size_t i = 0; i < targets_.size() && !others; ++i)
        others = i != at && first_key(targets_[i], now);
    return {at, key, std::max(ceil<milliseconds>(when - now), 0ms), !others};
}

milliseconds AttemptPlan::pause(const TargetState& target) {
    return backoff(target.retries + 1, random_);
}

milliseconds AttemptPlan::jitter() {
    return milliseconds(std::uniform_int_distribution<int>(0, spread / 1ms)(random_));
}

std::optional<AttemptPlan::Held> AttemptPlan::let_go(const Attempt& attempt) {
    const auto found = std::ranges::find_if(held_, [&](const Held& held) {
        return held.target == attempt.target && held.key == attempt.key;
    });
    if (found == held_.end()) return std::nullopt;
    const Held held = *found;
    held_.erase(found);
    return held;
}

void AttemptPlan::succeeded(const Attempt& attempt, milliseconds first_token, Time now) {
    auto held = let_go(attempt);
    if (!held) return;
    if (!held->spoke)
        health_->succeeded(targets_[held->target].keys[held->key].name, held->leave, first_token,
                           now);
    held->spoke = true;
    held_.push_back(*held);
}

void AttemptPlan::given_up(const Attempt& attempt, Time) {
    const auto held = let_go(attempt);
    if (!held || held->spoke) return;
    TargetState& target = targets_[held->target];
    Key& key = target.keys[held->key];
    health_->said_nothing(key.name, held->leave);
    // It has failed nobody, so it can still be asked as if it had not been.
    target.stage = TargetState::Stage::untried;
    key.asked = false;
}

void AttemptPlan::not_waited_for(const Attempt& attempt, const Error& error, Time now) {
    given_up(attempt, now);
    keep(error);
    over_ = true;
}

void AttemptPlan::stale_connection(const Attempt& attempt, const Error& error, Time) {
    TargetState& target = targets_[attempt.target];
    if (const auto held = let_go(attempt))
        health_->said_nothing(target.keys[attempt.key].name, held->leave);
    keep(error);
    last_failed_ = attempt.target;
    target.stale_connection = true;
}

void AttemptPlan::failed(const Attempt& attempt, const Error& error, Time now) {
    TargetState& target = targets_[attempt.target];
    Key& key = target.keys[attempt.key];
    const FailureRule rule = rule_of(error.kind);

    const auto held = let_go(attempt);
    const bool blamed = rule.blame == FailureRule::Blame::target;
    if (held && held->spoke) {
        if (blamed) health_->broke_off(key.name, held->leave, now);
    } else if (held) {
        if (blamed)
            health_->failed(key.name, held->leave, now);
        else
            health_->said_nothing(key.name, held->leave);
    }
    if (rule.rest) health_->rest(key.name, now + error.retry_after.value_or(*rule.rest));

    keep(error);
    // Whoever broke off in the middle is asked again only if there is nobody else.
    last_failed_.reset();
    if (!held || !held->spoke) last_failed_ = attempt.target;
    if (rule.then == Then::give_up) over_ = true;
    if (error.kind == ErrorKind::context_length_exceeded) rule_out_shorter_than(target);
    if (rule.then == Then::give_up || rule.then == Then::next_target || target.once) {
        target.stage = TargetState::Stage::done;
        target.then.reset();
        return;
    }
    target.stage = TargetState::Stage::asked;
    target.then = rule.then;
    target.not_before = now + pause(target);
    key.asked = true;
    key.not_before = now + error.retry_after.value_or(0ms);
    if (rule.then == Then::other_key) {
        key.barred = true;
        // A key that was asked before and is still of use has failed with what may pass.
        if (std::ranges::any_of(target.keys, [](const Key& k) { return k.asked && !k.barred; }))
            target.then = Then::other_key_or_retry;
    }
}

void AttemptPlan::rule_out_shorter_than(const TargetState& failed) {
    if (!failed.context_length) return;
    for (TargetState& target : targets_)
        if (target.context_length && *target.context_length <= *failed.context_length)
            target.stage = TargetState::Stage::done;
}

void AttemptPlan::keep(const Error& error) {
    if (last_error_.kind == ErrorKind::context_length_exceeded) return;
    const bool hides = retryable(last_error_.kind) && !retryable(error.kind) &&
                       rule_of(error.kind).then != Then::give_up;
    if (!hides) last_error_ = error;
}

}  // namespace runnel::router
