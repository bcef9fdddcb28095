#include "provider/credentials/grant.hpp"

#include <algorithm>
#include <utility>

namespace runnel::provider {
namespace {

using namespace std::chrono_literals;

constexpr Outside::Time::duration renewal_lead = 5min;  // before the end
constexpr Outside::Time::duration jitter_max = 1min;    // even earlier
constexpr Outside::Time::duration clock_margin = 30s;   // that clocks may differ
constexpr Outside::Time::duration retry_pause = 10s;    // while the old one is still good
constexpr Outside::Time::duration failure_pause = 1s;   // in which nobody tries again
constexpr Outside::Time::duration fresh_time = 10s;     // in which a refusal is not the grant's age

Outside::Time::duration part_of(Outside::Time::duration whole, double share) {
    return std::chrono::duration_cast<Outside::Time::duration>(whole * share);
}

}  // namespace

GrantKeeper::Standing GrantKeeper::standing(Outside::Time now) const {
    if (current_ == nullptr) return Standing::over;
    if (!current_->expires) return Standing::good;
    // A clock that was set back makes a grant look younger than it is.
    if (now >= usable_until_ || now < fetched_at_ - clock_margin) return Standing::over;
    return now >= renew_at_ ? Standing::ageing : Standing::good;
}

void GrantKeeper::get(Done done) {
    std::unique_lock lock(mutex_);
    const Outside::Time now = outside_->now();
    const Standing here = standing(now);
    const bool is_quiet = now < quiet_until_ && quiet_until_ - now <= retry_pause;
    const bool begins = here != Standing::good && !fetching_ && !is_quiet;
    if (begins) fetching_ = true;
    Result<Current> answer = current_;
    Done told;  // at once; empty: it waits
    if (here == Standing::over && fetching_) {
        waiting_.push_back(std::move(done));
    } else {
        told = std::move(done);
        if (here == Standing::over) answer = fail(*failure_);
    }
    lock.unlock();
    if (begins) outside_->start([self = shared_from_this()] { self->fetch(); });
    if (told) told(std::move(answer));
}

bool GrantKeeper::forget() {
    const std::scoped_lock lock(mutex_);
    if (current_ == nullptr || outside_->now() < fetched_at_ + fresh_time) return false;
    current_ = nullptr;
    return true;
}

void GrantKeeper::fetch() { keep(source_->fetch()); }

void GrantKeeper::keep(Result<Grant> fetched) {
    std::unique_lock lock(mutex_);
    const Outside::Time now = outside_->now();
    fetching_ = false;
    if (fetched && fetched->expires && *fetched->expires <= now)
        fetched = fail({ErrorKind::upstream_auth,
                        "the credentials that were fetched have expired",
                        {},
                        "they end before this machine's clock says it is now"});
    if (fetched) {
        current_ = std::make_shared<const Grant>(std::move(*fetched));
        fetched_at_ = now;
        failure_.reset();
        quiet_until_ = {};
        if (current_->expires) {
            const auto life = *current_->expires - now;
            const auto lead = std::min(renewal_lead, life / 5) +
                              part_of(std::min(jitter_max, life / 10), outside_->random());
            renew_at_ = *current_->expires - lead;
            usable_until_ = *current_->expires - std::min(clock_margin, life / 20);
        }
    } else {
        failure_ = fetched.error();
        quiet_until_ = now + (standing(now) == Standing::over ? failure_pause : retry_pause);
    }
    std::vector<Done> waiting = std::exchange(waiting_, {});
    Result<Current> answer = current_;
    if (!fetched) answer = fail(*failure_);
    lock.unlock();
    for (Done& done : waiting) done(answer);
}

}  // namespace runnel::provider
