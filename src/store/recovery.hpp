#pragma once

#include "store/append.hpp"
#include "store/journal_entry.hpp"
#include "store/journal_folder.hpp"
#include "store/records.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace runnel::store {

// Adds records to the store. It may take its time, and an error says that the same records are to
// be given again later.
using AppendRecords = std::function<Result<Appended>(std::span<const Record>)>;

// A request was under way when its process ended; this is what the store has of it now. May be told
// twice of the same one.
using OnRecovered = std::function<void(const Opening& opening, const Record& record)>;

// Brings into the store what processes that are gone have left in the journal: what they had
// closed, and a record of the crash for what was under way. A file goes when the store has what is
// in it, so a recovery that is itself cut short is only begun again.
class Recovery {
public:
    Recovery(JournalFolder* own, AppendRecords append, OnRecovered recovered,
             std::size_t batch_rows);
    ~Recovery();

    // Looks for folders whose owners are gone.
    void look();

    bool has_work() const { return dead_ != nullptr || !folders_.empty(); }
    // Does a part of it, a file at most. After an error it is to be done again.
    Result<void> step();

    // Since the beginning.
    std::uint64_t rows() const { return rows_; }
    std::uint64_t lost() const { return lost_; }  // were damaged, or the store refuses them

private:
    struct Dead;  // a folder that is being read

    void begin(const std::filesystem::path& folder);
    Result<void> take_closed(const std::filesystem::path& path);
    Result<void> take_open();
    Result<void> append(std::span<const Record> batch);
    void finish();

    JournalFolder* own_;
    AppendRecords append_;
    OnRecovered recovered_;
    std::size_t batch_rows_;
    std::vector<std::filesystem::path> folders_;  // to be read
    std::unique_ptr<Dead> dead_;
    std::uint64_t rows_ = 0;
    std::uint64_t lost_ = 0;
};

}  // namespace runnel::store
