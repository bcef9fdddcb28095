#include "storage/journal/places.hpp"

#include <map>
#include <set>
#include <system_error>

namespace runnel::storage {

namespace fs = std::filesystem;

std::vector<std::string> JournalPlaces::others() const {
    std::set<std::string> names;
    for (const fs::path& place : {disk, memory}) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(place, ignored)) {
            const std::string name = entry.path().filename();
            // One whose name begins with a dot is being made.
            if (name != own && !name.starts_with('.') && entry.is_directory(ignored))
                names.insert(name);
        }
    }
    return {names.begin(), names.end()};
}

std::vector<JournalFile> files_of(const JournalPlaces& places, const std::string& process,
                                  std::string_view kind) {
    std::map<std::string, JournalFile> found;
    for (const auto place : {JournalFile::Place::memory, JournalFile::Place::disk}) {
        const fs::path& all = place == JournalFile::Place::memory ? places.memory : places.disk;
        if (all.empty()) continue;
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(all / process, ignored)) {
            const std::string name = entry.path().filename();
            if (name.starts_with(kind)) found.try_emplace(name, name, entry.path(), place);
        }
    }
    std::vector<JournalFile> files;
    for (auto& [name, file] : found) files.push_back(std::move(file));
    return files;
}

}  // namespace runnel::storage
