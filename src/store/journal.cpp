#include "store/journal.hpp"

#include "telemetry/record_json.hpp"

#include <utility>

namespace runnel::store {

JournalWriter::JournalWriter(JournalFolder* folder, Doorbell* doorbell, ClosedLog::Sizes sizes)
    : doorbell_(doorbell),
      open_(folder),
      closed_(folder, sizes) {}

JournalWriter::Ticket JournalWriter::open(const Opening& opening) {
    const std::uint32_t slot = open_.reserve();
    if (slot != OpenSlots::none) {
        if (const std::size_t bytes = write_opening(opening, open_.payload(slot))) {
            open_.publish(slot, bytes);
            return {slot};
        }
        open_.release(slot);
    }
    unmarked_.store(unmarked_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return {};
}

void JournalWriter::close(Ticket ticket, const telemetry::RequestRecord& record,
                          std::string_view timeline_json) {
    lines_.clear();
    details_.clear();
    telemetry::append_cost_lines(lines_, record);
    telemetry::append_details(details_, record);
    std::string minted;
    if (record.completion_id.empty()) minted = ids_.next(own_id_prefix);
    const Closing closing{minted.empty() ? std::string_view(record.completion_id) : minted, &record,
                          lines_, details_, timeline_json};
    if (char* const to = closed_.reserve(closing_bytes(closing))) {
        write_closing(closing, to);
        closed_.publish();
        doorbell_->ring();
    }
    // Last: a request that is neither open nor closed would be nobody's.
    if (ticket.slot != OpenSlots::none) open_.release(ticket.slot);
}

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& folder,
                                               Options options) {
    auto own = JournalFolder::create(folder, options.folder);
    if (!own) return propagate(own);
    return std::unique_ptr<Journal>(new Journal(std::move(*own), std::move(options)));
}

JournalWriter* Journal::add_writer() {
    const std::scoped_lock lock(mutex_);
    return writers_
        .emplace_back(std::make_unique<JournalWriter>(folder_.get(), &doorbell_, options_.sizes))
        .get();
}

std::vector<JournalWriter*> Journal::writers() const {
    const std::scoped_lock lock(mutex_);
    std::vector<JournalWriter*> all;
    for (const auto& writer : writers_) all.push_back(writer.get());
    return all;
}

}  // namespace runnel::store
