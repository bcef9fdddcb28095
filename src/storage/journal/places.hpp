#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace runnel::storage {

// Where processes keep their parts of the journal, each in a folder with the same name here and
// there.
struct JournalPlaces {
    std::filesystem::path disk;
    std::filesystem::path memory;  // empty: there is none that outlives a process
    std::string own;               // this process's name

    // The names of all others, be they on the disk, in memory, or in both.
    std::vector<std::string> others() const;
};

struct JournalFile {
    std::string name;
    std::filesystem::path path;  // in memory where it is there, because that is the newer one
    enum class Place { memory, disk } place;
};

// The files of a process whose names begin with `kind`.
std::vector<JournalFile> files_of(const JournalPlaces& places, const std::string& process,
                                  std::string_view kind);

}  // namespace runnel::storage
