#include "telemetry/recent_traffic.hpp"

#include "telemetry/record_json.hpp"

#include <algorithm>

namespace runnel::telemetry {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t minutes_kept = 60;
constexpr std::size_t hours_kept = 7 * 24;

using Ended = RecentTraffic::Ended;

Ended end_of(const RequestRecord& record) {
    const std::string_view outcome = outcome_of(record);
    const bool failed = outcome == "error" || outcome == "crashed";
    Ended ended{.how = failed ? Ended::How::failed : Ended::How::well,
                .cost = record.cost.value_or(Money{}),
                .first_token = record.first_event,
                .total = record.total};
    if (record.usage) {
        ended.input_tokens = record.usage->input();
        ended.output_tokens = record.usage->output;
    }
    return ended;
}

void count(RecentTraffic::Slot& slot, const Ended& ended) {
    ++slot.requests;
    if (ended.how == Ended::How::failed) ++slot.errors;
    slot.input_tokens += ended.input_tokens;
    slot.output_tokens += ended.output_tokens;
    slot.cost += ended.cost;
    if (ended.first_token.count() > 0) slot.first_token.add(ended.first_token);
    slot.total.add(ended.total);
}

}  // namespace

std::size_t RecentTraffic::Wheel::place_of(Time begins) const {
    return static_cast<std::size_t>(begins.time_since_epoch() / length_) % slots_.size();
}

void RecentTraffic::Wheel::add(const Ended& ended, Time when) {
    const Time begins = begin_of(when);
    Slot& slot = slots_[place_of(begins)];
    if (begins < slot.begins) return;  // a newer one has its place
    if (slot.begins < begins) slot = Slot{.begins = begins};
    count(slot, ended);
}

std::vector<RecentTraffic::Slot> RecentTraffic::Wheel::last(std::size_t count, Time now) const {
    count = std::min(count, slots_.size());
    std::vector<Slot> found(count);
    Time begins = begin_of(now);
    for (std::size_t i = count; i-- > 0; begins -= length_) {
        const Slot& slot = slots_[place_of(begins)];
        if (slot.begins == begins) found[i] = slot;
        found[i].begins = begins;
    }
    return found;
}

RecentTraffic::RecentTraffic() : minutes_(1min, minutes_kept), hours_(1h, hours_kept) {}

void RecentTraffic::add(const RequestRecord& record, Time now) { add(end_of(record), now); }

void RecentTraffic::add(const Ended& ended, Time when) {
    const std::scoped_lock lock(mutex_);
    minutes_.add(ended, when);
    hours_.add(ended, when);
}

std::vector<RecentTraffic::Slot> RecentTraffic::minutes(Time now) const {
    const std::scoped_lock lock(mutex_);
    return minutes_.last(minutes_kept, now);
}

std::vector<RecentTraffic::Slot> RecentTraffic::hours(std::size_t count, Time now) const {
    const std::scoped_lock lock(mutex_);
    return hours_.last(count, now);
}

}  // namespace runnel::telemetry
