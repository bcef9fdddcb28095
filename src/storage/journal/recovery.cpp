#include "storage/journal/recovery.hpp"

#include "base/log.hpp"
#include "storage/journal/closed_log.hpp"
#include "storage/journal/disk.hpp"
#include "storage/journal/open_slots.hpp"

#include <deque>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <unistd.h>

namespace runnel::storage {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> in_folder(const fs::path& folder) {
    std::vector<fs::path> paths;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) paths.push_back(entry.path());
    return paths;
}

std::size_t bytes_in(const fs::path& folder) {
    std::size_t bytes = 0;
    std::error_code error;
    for (const fs::path& path : in_folder(folder))
        if (const auto size = fs::file_size(path, error); !error) bytes += size;
    return bytes;
}

// It stays, and is tried again when its folder is.
void tell_of_unreadable(const JournalFile& file, const Error& error) {
    log::Line(log::Level::error, "a file of the journal can't be read; it stays where it is")
        .add("file", file.path.string())
        .add("detail", error.message)
        .write();
}

// In memory, a file without a byte was being made.
bool held_nothing(const JournalFile& file, const std::string& bytes) {
    return file.place == JournalFile::Place::memory && bytes.empty();
}

void remove_if_there(const fs::path& path) {
    std::error_code ignored;
    fs::remove(path, ignored);
}

}  // namespace

struct Recovery::Dead {
    std::string process;
    std::vector<FolderLock> locks{};  // of its folders, in memory and on the disk
    std::vector<JournalFile> closed_files{};
    std::vector<JournalFile> open_files{};
    std::deque<std::string> open_bytes{};                      // of open_files
    std::unordered_map<std::string_view, Opening> openings{};  // by completion id; views of them
    std::uint64_t rows_before = 0;
    std::uint64_t under_way = 0;
};

Recovery::Recovery(JournalPlaces places, AppendRecords append, OnRecovered recovered,
                   std::size_t batch_rows)
    : places_(std::move(places)),
      append_(std::move(append)),
      recovered_(std::move(recovered)),
      batch_rows_(batch_rows) {}

Recovery::~Recovery() = default;

void Recovery::look() {
    processes_ = places_.others();
    others_bytes_ = 0;
    for (const std::string& process : processes_) others_bytes_ += bytes_in(places_.disk / process);
}

Result<void> Recovery::step() {
    if (!has_work()) return {};
    if (!dead_) {
        begin(processes_.back());
        processes_.pop_back();
        return {};
    }
    if (dead_->closed_files.empty()) {
        auto taken = take_open();
        if (taken) finish();
        return taken;
    }
    auto taken = take_closed(dead_->closed_files.back());
    if (taken) dead_->closed_files.pop_back();
    return taken;
}

void Recovery::begin(const std::string& process) {
    auto dead = std::make_unique<Dead>(process);
    for (const fs::path& place : {places_.memory, places_.disk}) {
        const fs::path folder = place / process;
        std::error_code ignored;
        if (place.empty() || !fs::is_directory(folder, ignored)) continue;
        auto lock = FolderLock::take(folder);
        if (lock) {
            dead->locks.push_back(std::move(*lock));
            continue;
        }
        // Nothing but a folder is left where somebody was stopped while he removed the last of it.
        if (::rmdir(folder.c_str()) != 0) return;
    }
    if (dead->locks.empty()) return;
    dead->rows_before = rows_;
    dead->closed_files = files_of(places_, process, closed_files_kind);
    dead->open_files = files_of(places_, process, open_files_kind);
    dead_ = std::move(dead);
    if (!read_open_files()) dead_.reset();
}

// What was under way first: then it is known of whom to tell when its end is found. False where
// that can't be read now.
bool Recovery::read_open_files() {
    for (const JournalFile& file : dead_->open_files) {
        auto read = read_file(file.path);
        if (!read) {
            tell_of_unreadable(file, read.error());
            return false;
        }
        const std::string& bytes = dead_->open_bytes.emplace_back(std::move(*read));
        const OpenSlotsFound found = open_slots_of(bytes);
        std::uint64_t lost = found.lost;
        for (const std::string_view slot : found.payloads) {
            if (const auto opening = read_opening(slot)) {
                dead_->openings.emplace(opening->completion_id, *opening);
            } else {
                ++lost;
            }
        }
        if (!held_nothing(file, bytes)) tell_of_damage(file, lost);
    }
    return true;
}

void Recovery::tell_of_damage(const JournalFile& file, std::uint64_t lost) {
    if (lost == 0) return;
    lost_ += lost;
    log::Line(log::Level::error,
              "a file of the journal is damaged: requests are missing in the log and the ledger")
        .add("file", file.path.string())
        .add("requests", lost)
        .write();
}

Result<void> Recovery::take_closed(const JournalFile& file) {
    const auto bytes = read_file(file.path);
    if (!bytes) {
        tell_of_unreadable(file, bytes.error());
        return {};
    }
    ClosedFileReader reader(*bytes);
    std::vector<Record> batch;
    std::uint64_t unreadable = 0;
    for (auto entry = reader.next(); entry || !batch.empty(); entry = reader.next()) {
        if (entry) {
            auto record = read_closing(*entry);
            if (!record) ++unreadable;
            if (record) batch.push_back(std::move(*record));
            if (batch.size() < batch_rows_) continue;
        }
        if (auto appended = append(batch); !appended) return appended;
        for (const Record& record : batch) {
            const auto opening = dead_->openings.find(record.entry_id);
            if (opening == dead_->openings.end()) continue;
            recovered_(opening->second, record);
            dead_->openings.erase(opening);
        }
        batch.clear();
    }
    if (!held_nothing(file, *bytes)) tell_of_damage(file, reader.lost() + unreadable);
    for (const fs::path& place : {places_.memory, places_.disk})
        if (!place.empty()) remove_if_there(place / dead_->process / file.name);
    return {};
}

Result<void> Recovery::take_open() {
    std::vector<Record> batch;
    while (!dead_->openings.empty()) {
        batch.clear();
        for (const auto& [id, opening] : dead_->openings) {
            batch.push_back(crashed_record(opening));
            if (batch.size() == batch_rows_) break;
        }
        if (auto appended = append(batch); !appended) return appended;
        for (const Record& record : batch) {
            const auto opening = dead_->openings.find(record.entry_id);
            recovered_(opening->second, record);
            dead_->openings.erase(opening);
            ++dead_->under_way;
        }
    }
    return {};
}

Result<void> Recovery::append(std::span<const Record> batch) {
    const auto appended = append_(batch);
    if (!appended) return fail(appended.error());
    rows_ += appended->added;
    lost_ += appended->refused;
    return {};
}

void Recovery::finish() {
    for (const fs::path& place : {places_.memory, places_.disk}) {
        if (place.empty()) continue;
        const fs::path folder = place / dead_->process;
        for (const JournalFile& file : dead_->open_files) remove_if_there(folder / file.name);
        FolderLock::remove(folder);
    }
    if (const std::uint64_t rows = rows_ - dead_->rows_before; rows > 0)
        log::Line(log::Level::info, "took over the journal of a process that is gone")
            .add("folder", dead_->process)
            .add("requests", rows)
            .add("were_under_way", dead_->under_way)
            .write();
    dead_.reset();
}

}  // namespace runnel::storage
