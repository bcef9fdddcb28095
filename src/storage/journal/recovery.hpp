#pragma once

#include "storage/journal/entry.hpp"
#include "storage/journal/folder.hpp"
#include "storage/journal/places.hpp"
#include "storage/records/append.hpp"
#include "storage/records/records.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace runnel::storage {

// Adds records to the store. It may take its time, and an error says that the same records are to
// be given again later.
using AppendRecords = std::function<Result<Appended>(std::span<const Record>)>;

// A request was under way when its process ended; this is what the store has of it now. May be told
// twice of the same one.
using OnRecovered = std::function<void(const Opening& opening, const Record& record)>;

// Brings into the store what processes that are gone have left in the journal: what they had
// closed, and a record of the crash for what was under way. A file goes when the store has what is
// in it, so a recovery that is itself cut short is only begun again. What a file held and can't be
// read any more is counted, and told of with the file's name.
class Recovery {
public:
    Recovery(JournalPlaces places, AppendRecords append, OnRecovered recovered,
             std::size_t batch_rows);
    ~Recovery();

    // Looks for folders whose owners are gone.
    void look();

    bool has_work() const { return dead_ != nullptr || !processes_.empty(); }
    // Does a part of it, a file at most. After an error it is to be done again.
    Result<void> step();

    // Since the beginning.
    std::uint64_t rows() const { return rows_; }
    std::uint64_t lost() const { return lost_; }  // were damaged, or the store refuses them
    // What others, living and dead, have on the disk, as of the last look.
    std::size_t others_bytes() const { return others_bytes_; }

private:
    struct Dead;  // a folder that is being read

    void begin(const std::string& process);
    bool read_open_files();
    Result<void> take_closed(const JournalFile& file);
    void tell_of_damage(const JournalFile& file, std::uint64_t lost);
    Result<void> take_open();
    Result<void> append(std::span<const Record> batch);
    void finish();

    JournalPlaces places_;
    AppendRecords append_;
    OnRecovered recovered_;
    std::size_t batch_rows_;
    std::vector<std::string> processes_;  // whose folders are to be read
    std::unique_ptr<Dead> dead_;
    std::uint64_t rows_ = 0;
    std::uint64_t lost_ = 0;
    std::size_t others_bytes_ = 0;
};

}  // namespace runnel::storage
