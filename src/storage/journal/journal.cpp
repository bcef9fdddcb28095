#include "storage/journal/journal.hpp"

#include "base/log.hpp"
#include "storage/limits.hpp"
#include "telemetry/record_json.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace runnel::storage {
namespace {

constexpr std::size_t file_bytes_min = 64 * limits::kib;

// How large a file may be, that each of many threads has room for a few.
std::size_t share_of(std::size_t memory_bytes) {
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    return std::max(file_bytes_min, memory_bytes / (4 * threads) / 4096 * 4096);
}

}  // namespace

JournalWriter::JournalWriter(JournalFolder* folder, Wakeup* wakeup, ClosedLog::Sizes sizes)
    : wakeup_(wakeup),
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
        wakeup_->notify();
    }
    // Last: a request that is neither open nor closed would be nobody's.
    if (ticket.slot != OpenSlots::none) open_.release(ticket.slot);
}

std::unique_ptr<Journal> Journal::open(const std::filesystem::path& folder, Options options) {
    JournalPlaces places{.disk = folder, .memory = {}, .own = new_journal_name()};
    std::unique_ptr<JournalFolder> memory;
    std::size_t bytes_max = limits::journal_memory_bytes;
    // Twice, because a process that leaves may take away what is there.
    for (int tries = 0; !memory && options.memory && tries < 2; ++tries) {
        const auto found = options.memory(folder);
        if (!found) break;
        auto made =
            JournalFolder::create(found->folder, places.own,
                                  {.bytes_max = found->bytes_max, .allocate = options.allocate});
        // Somebody else may have made what was not there for a moment.
        if (!made || !is_own_folder(found->folder)) continue;
        memory = std::move(*made);
        places.memory = found->folder;
        bytes_max = found->bytes_max;
    }
    if (!memory) {
        log::Line(log::Level::warning,
                  "there is no shared memory (/dev/shm) for the journal: records that a process "
                  "that is killed has not written to the disk yet are lost")
            .write();
        memory =
            JournalFolder::without_folder({.bytes_max = bytes_max, .allocate = options.allocate});
    }
    options.sizes.file_bytes = std::min(options.sizes.file_bytes, share_of(bytes_max));
    return std::unique_ptr<Journal>(
        new Journal(std::move(places), std::move(memory), std::move(options)));
}

Journal::Journal(JournalPlaces places, std::unique_ptr<JournalFolder> memory, Options options)
    : places_(std::move(places)),
      memory_(std::move(memory)),
      options_(std::move(options)),
      disk_(places_.disk, places_.own, options_.disk_bytes_max),
      elsewhere_(places_),
      copy_(
          &disk_,
          [this] {
              std::vector<JournalCopy::Source> sources;
              for (JournalWriter* writer : writers())
                  sources.push_back({writer->closed(), writer->open_slots()});
              return sources;
          },
          places_.memory.empty() ? Copying::at_once : Copying::in_a_while,
          [this] { elsewhere_.look(); }) {
    if (options_.copies == Options::Copies::by_itself) copy_.start();
}

Journal::~Journal() = default;

JournalWriter* Journal::add_writer() {
    const std::scoped_lock lock(mutex_);
    return writers_
        .emplace_back(std::make_unique<JournalWriter>(memory_.get(), &wakeup_, options_.sizes))
        .get();
}

std::vector<JournalWriter*> Journal::writers() const {
    const std::scoped_lock lock(mutex_);
    std::vector<JournalWriter*> all;
    for (const auto& writer : writers_) all.push_back(writer.get());
    return all;
}

}  // namespace runnel::storage
