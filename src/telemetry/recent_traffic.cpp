#include "telemetry/recent_traffic.hpp"

#include "telemetry/record_json.hpp"

#include <algorithm>

namespace runnel::telemetry {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t minutes_kept = 60;
constexpr std::size_t hours_kept = 7 * 24;

void count(RecentTraffic::Slot* slot, const RequestRecord& record) {
    if (slot == nullptr) return;
    ++slot->requests;
    const std::string_view outcome = outcome_of(record);
    if (outcome == "error" || outcome == "crashed") ++slot->errors;
    if (record.usage) {
        slot->input_tokens += record.usage->input();
        slot->output_tokens += record.usage->output;
    }
    if (record.cost) slot->cost += *record.cost;
    if (record.first_event.count() > 0) slot->first_token.add(record.first_event);
    slot->total.add(record.total);
}

}  // namespace

std::size_t RecentTraffic::Wheel::place_of(Time begins) const {
    return static_cast<std::size_t>(begins.time_since_epoch() / length_) % slots_.size();
}

RecentTraffic::Slot& RecentTraffic::Slot::operator+=(const Slot& other) {
    requests += other.requests;
    errors += other.errors;
    input_tokens += other.input_tokens;
    output_tokens += other.output_tokens;
    cost += other.cost;
    first_token += other.first_token;
    total += other.total;
    return *this;
}

RecentTraffic::Slot* RecentTraffic::Wheel::at(Time when) {
    const Time begins = begin_of(when);
    Slot& slot = slots_[place_of(begins)];
    if (begins < slot.begins) return nullptr;
    if (slot.begins < begins) slot = Slot{.begins = begins};
    return &slot;
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

void RecentTraffic::add(const RequestRecord& record, Time now) {
    const std::scoped_lock lock(mutex_);
    count(minutes_.at(now), record);
    count(hours_.at(now), record);
}

void RecentTraffic::recall_minute(const Slot& minute) {
    const std::scoped_lock lock(mutex_);
    if (Slot* slot = minutes_.at(minute.begins)) *slot += minute;
}

void RecentTraffic::recall_hour(const Slot& hour) {
    const std::scoped_lock lock(mutex_);
    if (Slot* slot = hours_.at(hour.begins)) *slot += hour;
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
