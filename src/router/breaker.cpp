#include "router/breaker.hpp"

#include <algorithm>
#include <span>

namespace runnel::router {

using std::chrono::milliseconds;

namespace {

// How long a client that meets a probe under way is told to wait: most of them end sooner.
constexpr auto probe_guess = std::chrono::seconds(1);

}  // namespace

Breaker::State Breaker::state(Time now) const {
    return state_ == State::open && now >= open_until_ ? State::half_open : state_;
}

bool Breaker::probing(Time now) const { return probe_ != 0 && now < probe_began_ + probe_time; }

bool Breaker::ready(Time now) const {
    const State current = state(now);
    return current == State::closed || (current == State::half_open && !probing(now));
}

Breaker::Time Breaker::ready_at(Time now) const {
    if (ready(now)) return now;
    return state(now) == State::open ? open_until_ : now + probe_guess;
}

std::optional<Breaker::Leave> Breaker::admit(Need need, Time now) {
    if (state_ == State::closed) return Leave{period_, 0};
    if (need == Need::choice && !ready(now)) return std::nullopt;
    if (probing(now)) return Leave{period_, 0};  // nobody is refused who has nobody else to ask
    // A probe of last resort leaves it open: its failure is no news.
    state_ = state(now);
    if (++last_probe_ == 0) ++last_probe_;
    probe_ = last_probe_;
    probe_began_ = now;
    return Leave{period_, probe_};
}

void Breaker::said_nothing(Leave leave) {
    if (leave.probe != 0 && leave.probe == probe_) probe_ = 0;
}

void Breaker::succeeded(Leave leave, Time now) {
    said_nothing(leave);
    if (state_ == State::closed) {
        if (leave.period == period_) record(Outcome::Kind::success, now);
        return;
    }
    if (leave.probe == 0) return;
    state_ = State::half_open;
    if (++probe_successes_ >= successes_to_close) close(now);
}

void Breaker::failed(Leave leave, Time now) {
    said_nothing(leave);
    if (state_ == State::closed) {
        if (leave.period != period_) return;
        record(Outcome::Kind::failure, now);
        open_if_failing(now);
    } else if (leave.probe != 0 && state(now) == State::half_open) {
        open(now, open_time_);
    }
}

void Breaker::broke_off(Leave leave, Time now) {
    if (state_ != State::closed) {
        if (leave.probe != 0 && state(now) == State::half_open) open(now, open_time_);
        return;
    }
    if (leave.probe == 0 && leave.period != period_) return;
    const auto kept = std::span(outcomes_).first(std::min(recorded_, outcomes_max));
    const auto success = std::ranges::find(kept, Outcome::Kind::success, &Outcome::kind);
    if (success != kept.end())
        *success = {now, Outcome::Kind::failure};
    else
        record(Outcome::Kind::failure, now);
    open_if_failing(now);
}

Breaker::Count Breaker::recent(Time now) const {
    Count count;
    for (std::size_t i = 0; i < std::min(recorded_, outcomes_max); ++i) {
        if (outcomes_[i].at + outcome_age_max < now) continue;
        ++(outcomes_[i].kind == Outcome::Kind::success ? count.successes : count.failures);
    }
    return count;
}

void Breaker::record(Outcome::Kind kind, Time now) {
    outcomes_[recorded_ % outcomes_max] = {now, kind};
    ++recorded_;
}

void Breaker::open_if_failing(Time now) {
    const Count count = recent(now);
    if (count.failures < failures_to_open || count.failures < count.successes) return;
    const bool relapse = closed_at_ && now <= *closed_at_ + relapse_time;
    open(now, relapse ? std::min<milliseconds>(open_time_ * 2, open_time_max) : open_time_first);
}

void Breaker::open(Time now, milliseconds time) {
    state_ = State::open;
    ++period_;
    open_time_ = time;
    open_until_ = now + time;
    probe_successes_ = 0;
}

void Breaker::close(Time now) {
    state_ = State::closed;
    ++period_;
    closed_at_ = now;
    recorded_ = 0;
    probe_successes_ = 0;
}

}  // namespace runnel::router
