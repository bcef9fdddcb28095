#pragma once

#include "base/result.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace runnel::exchange {

class BackgroundRun;

// What runs in the background of this process, for all threads.
class BackgroundRuns {
public:
    // The error says that there are too many, in all or of this owner.
    Result<void> add(std::string_view id, std::string_view owner,
                     std::shared_ptr<BackgroundRun> run);
    void remove(std::string_view id);
    // Null: there is none of that owner's.
    std::shared_ptr<BackgroundRun> find(std::string_view id, std::string_view owner) const;

private:
    struct Entry {
        std::string owner;
        std::shared_ptr<BackgroundRun> run;
    };

    mutable std::mutex mutex_;
    std::map<std::string, Entry, std::less<>> by_id_;
    std::map<std::string, std::size_t, std::less<>> of_owner_;
};

}  // namespace runnel::exchange
