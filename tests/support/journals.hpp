#pragma once

#include "storage/journal/journal.hpp"
#include "storage/journal/recovery.hpp"
#include "telemetry/request_log.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace runnel::testing {

inline storage::Opening some_opening(std::string_view completion_id) {
    return {.completion_id = completion_id,
            .request_id = "req_1",
            .key_id = "key_1",
            .team = "search",
            .model = "fast",
            .target = "openai/gpt-5-mini",
            .began = access::UtcTime(std::chrono::seconds(1'700'000'000)),
            .input_tokens = 2000,
            .output_tokens = 500,
            .reserved = Money{13'500'000},
            .claim_id = "claim_1"};
}

inline telemetry::RequestRecord finished_request(std::string completion_id) {
    telemetry::RequestRecord record;
    record.completion_id = std::move(completion_id);
    record.request_id = "req_1";
    record.began = access::UtcTime(std::chrono::seconds(1'700'000'000));
    record.key_id = "key_1";
    record.team = "search";
    record.model_asked = "fast";
    record.model_served = "openai/gpt-5-mini";
    record.provider = "openai";
    record.dialect = "openai";
    record.status = 200;
    record.finish = "stop";
    record.stream = true;
    record.usage =
        timeline::Usage{.fresh_input = 1000, .cache_read = 1000, .output = 500, .reasoning = 100};
    record.usage_provenance = telemetry::RequestRecord::Provenance::reported;
    record.cost = Money{9'000'000};
    record.cost_lines = {{"input", 1000, 3e-6, Money{3'000'000}, "Input tokens"},
                         {"output", 500, 12e-6, Money{6'000'000}, "Output tokens"}};
    return record;
}

// A journal whose memory is a folder beside that of its disk, and which copies nothing by itself.
inline storage::Journal::Options journal_options(storage::ClosedLog::Sizes sizes = {}) {
    storage::Journal::Options options;
    options.sizes = sizes;
    options.copies = storage::Journal::Options::Copies::when_told;
    options.memory = [](const std::filesystem::path& folder) {
        const auto memory = folder.parent_path() / "memory";
        std::filesystem::create_directories(memory);
        std::filesystem::permissions(memory, std::filesystem::perms::owner_all);
        return std::optional(storage::JournalMemory{memory, storage::limits::journal_memory_bytes});
    };
    return options;
}

// A store in memory, which may go away. A record that it has stays as it is.
class MemoryStore {
public:
    storage::AppendRecords append() {
        return [this](std::span<const storage::Record> batch) { return add(batch); };
    }

    void go_away() { set_away(true); }
    void come_back() { set_away(false); }
    // It will not take the record with this id, ever.
    void refuse(std::string id) {
        const std::scoped_lock lock(mutex_);
        refused_id_ = std::move(id);
    }

    std::size_t size() const {
        const std::scoped_lock lock(mutex_);
        return rows_.size();
    }
    // An empty one where there is none.
    storage::Record find(const std::string& id) const {
        const std::scoped_lock lock(mutex_);
        const auto row = rows_.find(id);
        return row == rows_.end() ? storage::Record{} : row->second;
    }
    std::vector<std::size_t> batches() const {
        const std::scoped_lock lock(mutex_);
        return batches_;
    }

private:
    void set_away(bool away) {
        const std::scoped_lock lock(mutex_);
        away_ = away;
    }

    Result<storage::Appended> add(std::span<const storage::Record> batch) {
        const std::scoped_lock lock(mutex_);
        if (away_) return fail(ErrorKind::store_unavailable, "the store is away");
        batches_.push_back(batch.size());
        storage::Appended appended;
        for (const storage::Record& record : batch) {
            if (record.entry_id == refused_id_) {
                ++appended.refused;
            } else if (rows_.emplace(record.entry_id, record).second) {
                ++appended.added;
            } else {
                ++appended.known;
            }
        }
        return appended;
    }

    mutable std::mutex mutex_;
    std::map<std::string, storage::Record> rows_;
    std::vector<std::size_t> batches_;
    std::string refused_id_;
    bool away_ = false;
};

// Runs it in a process of its own, which then ends on the spot, as by kill -9.
inline void in_a_process_that_dies(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        work();
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
}

}  // namespace runnel::testing
