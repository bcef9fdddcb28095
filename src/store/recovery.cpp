#include "store/recovery.hpp"

#include "base/log.hpp"
#include "store/closed_log.hpp"
#include "store/open_slots.hpp"

#include <deque>
#include <fstream>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <unistd.h>

namespace runnel::store {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
    std::error_code ignored;
    std::string bytes;
    const auto size = fs::file_size(path, ignored);
    if (ignored) return bytes;
    bytes.resize(size);
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

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

void remove_if_there(const fs::path& path) {
    std::error_code ignored;
    fs::remove(path, ignored);
}

}  // namespace

struct Recovery::Dead {
    fs::path folder;
    FolderLock lock;
    std::vector<fs::path> closed_files{};
    std::vector<fs::path> open_files{};
    std::deque<std::string> open_bytes{};                      // of open_files
    std::unordered_map<std::string_view, Opening> openings{};  // by completion id; views of them
    std::uint64_t rows_before = 0;
    std::uint64_t under_way = 0;
};

Recovery::Recovery(JournalFolder* own, AppendRecords append, OnRecovered recovered,
                   std::size_t batch_rows)
    : own_(own),
      append_(std::move(append)),
      recovered_(std::move(recovered)),
      batch_rows_(batch_rows) {}

Recovery::~Recovery() = default;

void Recovery::look() {
    std::size_t bytes = 0;
    folders_.clear();
    for (const fs::path& folder : in_folder(own_->journal())) {
        if (folder == own_->path()) continue;
        bytes += bytes_in(folder);
        // One whose name begins with a dot is being made.
        if (!folder.filename().string().starts_with('.')) folders_.push_back(folder);
    }
    own_->set_others_bytes(bytes);
}

Result<void> Recovery::step() {
    if (!has_work()) return {};
    if (!dead_) {
        begin(folders_.back());
        folders_.pop_back();
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

void Recovery::begin(const fs::path& folder) {
    auto lock = FolderLock::take(folder);
    if (!lock) {
        // Nothing but a folder is left where somebody was stopped while he removed the last of it.
        ::rmdir(folder.c_str());
        return;
    }
    dead_ = std::make_unique<Dead>(folder, std::move(*lock));
    dead_->rows_before = rows_;
    for (const fs::path& path : in_folder(folder)) {
        const std::string name = path.filename();
        if (name.starts_with(closed_files_kind)) dead_->closed_files.push_back(path);
        if (name.starts_with(open_files_kind)) dead_->open_files.push_back(path);
    }
    // What was under way first: then it is known of whom to tell when its end is found.
    for (const fs::path& path : dead_->open_files) {
        const std::string& bytes = dead_->open_bytes.emplace_back(bytes_of(path));
        for (const std::string_view slot : open_slots_of(bytes)) {
            if (const auto opening = read_opening(slot)) {
                dead_->openings.emplace(opening->completion_id, *opening);
            } else {
                ++lost_;
            }
        }
    }
}

Result<void> Recovery::take_closed(const fs::path& path) {
    const std::string bytes = bytes_of(path);
    ClosedFileReader reader(bytes);
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
    lost_ += reader.damaged() + unreadable;
    remove_if_there(path);
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
    for (const fs::path& path : dead_->open_files) remove_if_there(path);
    FolderLock::remove(dead_->folder);
    if (const std::uint64_t rows = rows_ - dead_->rows_before; rows > 0)
        log::Line(log::Level::info, "took over the journal of a process that is gone")
            .add("folder", dead_->folder.filename().string())
            .add("requests", rows)
            .add("were_under_way", dead_->under_way)
            .write();
    dead_.reset();
}

}  // namespace runnel::store
