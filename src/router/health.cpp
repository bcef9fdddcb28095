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

// How many busy lines are passed over in search of one to drop; whoever holds the lock is brief.
constexpr int busy_lines_passed = 16;

struct Line {
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
    const std::size_t lines_max;
    std::mutex mutex{};
    // Below, all under the mutex.
    std::list<Line> lines{};  // the last one used first
    // Views of the lines' own names: looking one up allocates nothing.
    std::unordered_map<std::string_view, std::list<Line>::iterator> by_name{};

    Line* find(std::string_view name) {
        const auto found = by_name.find(name);
        return found == by_name.end() ? nullptr : &*found->second;
    }

    // Null when there is no room: nothing is known of that line then.
    Line* find_or_add(std::string_view name) {
        if (const auto found = by_name.find(name); found != by_name.end()) {
            lines.splice(lines.begin(), lines, found->second);
            return &lines.front();
        }
        if (lines.size() >= lines_max && !make_room()) return nullptr;
        lines.push_front({.name = std::string(name)});
        by_name.emplace(lines.front().name, lines.begin());
        return &lines.front();
    }

    bool make_room() {
        auto line = lines.end();
        for (int passed = 0; line != lines.begin() && passed < busy_lines_passed; ++passed) {
            if ((--line)->leaves > 0) continue;
            drop(line);
            return true;
        }
        return false;
    }

    void drop(std::list<Line>::iterator line) {
        by_name.erase(line->name);
        lines.erase(line);
    }

    // The line whose leave is settled; null if it is not known.
    Line* settle(std::string_view name) {
        Line* line = find(name);
        if (line && line->leaves > 0) --line->leaves;
        return line;
    }
};

Health::Health(std::size_t lines_max) : table_(new Table{.lines_max = lines_max}) {}

Health::~Health() = default;

Health::Standing Health::standing(std::string_view name, Time now) const {
    const std::scoped_lock lock(table_->mutex);
    const Line* line = table_->find(name);
    if (!line) return Standing::ready;
    if (!line->breaker.ready(now)) return Standing::open;
    return line->resting(now) ? Standing::resting : Standing::ready;
}

Health::Time Health::ready_at(std::string_view name, Time now) const {
    const std::scoped_lock lock(table_->mutex);
    const Line* line = table_->find(name);
    return line ? line->ready_at(now) : now;
}

std::optional<Health::Leave> Health::admit(std::string_view name, Need need, Time now) {
    const std::scoped_lock lock(table_->mutex);
    Line* line = table_->find_or_add(name);
    if (!line) return Leave{};
    const auto leave = line->breaker.admit(need, now);
    if (leave) ++line->leaves;
    return leave;
}

void Health::succeeded(std::string_view name, Leave leave, milliseconds first_token, Time now) {
    const std::scoped_lock lock(table_->mutex);
    Line* line = table_->settle(name);
    if (!line) return;
    line->breaker.succeeded(leave, now);
    const microseconds known = line->first_token;
    const microseconds next = std::max(microseconds(first_token), microseconds(1));
    line->first_token = known.count() == 0 ? next : known + (next - known) / average_over;
}

void Health::failed(std::string_view name, Leave leave, Time now) {
    const std::scoped_lock lock(table_->mutex);
    if (Line* line = table_->settle(name)) line->breaker.failed(leave, now);
}

void Health::said_nothing(std::string_view name, Leave leave) {
    const std::scoped_lock lock(table_->mutex);
    Line* line = table_->settle(name);
    if (!line) return;
    line->breaker.said_nothing(leave);
    if (line->unknown()) table_->drop(table_->by_name.find(name)->second);
}

void Health::broke_off(std::string_view name, Leave leave, Time now) {
    const std::scoped_lock lock(table_->mutex);
    if (Line* line = table_->find(name)) line->breaker.broke_off(leave, now);
}

void Health::rest(std::string_view name, Time until) {
    const std::scoped_lock lock(table_->mutex);
    if (Line* line = table_->find_or_add(name))
        line->rests_until = std::max(line->rests_until, until);
}

microseconds Health::first_token(std::string_view name) const {
    const std::scoped_lock lock(table_->mutex);
    const Line* line = table_->find(name);
    return line ? line->first_token : microseconds(0);
}

std::vector<Health::Entry> Health::entries(Time now) const {
    std::vector<Entry> entries;
    {
        const std::scoped_lock lock(table_->mutex);
        entries.reserve(table_->lines.size());
        for (const Line& line : table_->lines) {
            const Breaker::Count count = line.breaker.recent(now);
            entries.push_back({.line = line.name,
                               .breaker = std::string(name_of(line.breaker.state(now))),
                               .ready_in = ceil<milliseconds>(line.ready_at(now) - now),
                               .successes = count.successes,
                               .failures = count.failures,
                               .first_token = line.first_token});
        }
    }
    std::ranges::sort(entries, {}, &Entry::line);
    return entries;
}

}  // namespace runnel::router
