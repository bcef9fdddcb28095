#include "storage/journal/open_elsewhere.hpp"

#include "storage/journal/closed_log.hpp"
#include "storage/journal/disk.hpp"
#include "storage/journal/open_slots.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace runnel::storage {
namespace {

using namespace std::chrono_literals;

constexpr auto remembered_time = 2min;  // of what the ledger has; by then it was asked
constexpr auto telling_time = 1s;       // between two times that it is told of

std::vector<std::string> holders_of(const Opening& opening) {
    using enum metering::Holder::Kind;
    std::vector<std::string> holders;
    const auto add = [&](metering::Holder::Kind kind, std::string_view name) {
        if (!name.empty()) holders.push_back(metering::name_of({kind, std::string(name)}));
    };
    add(key, opening.key_id);
    add(team, opening.team);
    add(model, opening.budget_model);
    return holders;
}

}  // namespace

void OpenElsewhere::on_stored(std::function<void()> call) {
    const std::scoped_lock lock(looking_);
    stored_ = std::move(call);
}

void OpenElsewhere::look() {
    const std::scoped_lock lock(looking_);
    const auto now = Clock::now();
    const std::vector<std::string> others = places_.others();
    for (const std::string& process : others) known_[process];
    for (auto& [process, known] : known_) {
        look_at(process, known);
        std::vector<Reservation*> over;
        for (auto& [id, one] : known)
            if (!one.is_open && one.stored == Clock::time_point::max()) over.push_back(&one);
        if (!over.empty() && !waits_for_the_store(process)) {
            for (Reservation* one : over) one->stored = now;
            to_be_told_ = true;
        }
        std::erase_if(known, [&](const auto& entry) {
            return !entry.second.is_open && entry.second.stored < now - remembered_time;
        });
    }
    std::erase_if(known_, [&](const auto& entry) {
        return entry.second.empty() && std::ranges::find(others, entry.first) == others.end();
    });
    publish();
    if (!to_be_told_ || now < told_ + telling_time) return;
    to_be_told_ = false;
    told_ = now;
    if (stored_) stored_();
}

void OpenElsewhere::look_at(const std::string& process, std::map<std::string, Reservation>& known) {
    std::set<std::string> open;
    for (const JournalFile& file : files_of(places_, process, open_files_kind)) {
        const auto bytes = read_file(file.path);
        if (!bytes) continue;
        const std::string steady = steady_copy_of_slots(*bytes);
        for (const std::string_view slot : open_slots_of(steady).payloads) {
            const auto opening = read_opening(slot);
            if (!opening || opening->claim_id.empty() || !opening->reserved) continue;
            const std::string id(opening->completion_id);
            open.insert(id);
            known.try_emplace(id, holders_of(*opening), *opening->reserved, opening->began);
        }
    }
    for (auto& [id, one] : known) one.is_open = open.contains(id);
}

bool OpenElsewhere::waits_for_the_store(const std::string& process) const {
    for (const JournalFile& file : files_of(places_, process, closed_files_kind)) {
        const auto head = read_file(file.path, closed_head_bytes);
        if (head && has_entries_that_wait(*head)) return true;
    }
    return false;
}

void OpenElsewhere::publish() {
    auto by_holder = std::make_shared<ByHolder>();
    for (const auto& [process, known] : known_)
        for (const auto& [id, one] : known)
            for (const std::string& holder : one.holders) (*by_holder)[holder].push_back(one);
    any_ = !by_holder->empty();
    const std::scoped_lock lock(mutex_);
    by_holder_ = std::move(by_holder);
}

metering::Reserved OpenElsewhere::reserved(const metering::Hold& hold,
                                           Clock::time_point asked) const {
    if (!any_) return {};
    std::shared_ptr<const ByHolder> by_holder;
    {
        const std::scoped_lock lock(mutex_);
        by_holder = by_holder_;
    }
    metering::Reserved reserved;
    const auto found = by_holder->find(metering::name_of(hold.holder));
    if (found == by_holder->end()) return reserved;
    for (const Reservation& one : found->second) {
        if (one.began < hold.since || asked > one.stored) continue;
        reserved.amount += one.amount;
        ++reserved.claims;
    }
    return reserved;
}

}  // namespace runnel::storage
