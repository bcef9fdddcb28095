#pragma once

#include "tools/config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

// A file or folder, with all that is below it, that a sandboxed program may use.
struct Grant {
    enum class Right {
        list,   // see which files there are
        read,   // and read and run them
        write,  // and change them
    };
    std::string path;
    Right right;
    bool operator==(const Grant&) const = default;
};

// Where a program is started, as far as its sandbox depends on that.
struct Surroundings {
    std::string program;              // as it was found
    std::vector<std::string> args;    // a folder among them is there to be worked on
    std::string folder;               // to run in
    std::string home;                 // of the user that it runs as; empty: none
    std::string path;                 // PATH
    std::string temporary;            // a folder that is its own
    std::string cache;                // XDG_CACHE_HOME; empty: the usual one
    std::vector<std::string> hidden;  // the gateway's own files and folders
};

// Rights can only be given, and hold for all that is below a folder: so a folder that has something
// hidden in it is given entry by entry, as they are now. Names are no secret: they can be listed
// everywhere.
std::vector<Grant> grants_of(const SandboxConfig& config, const Surroundings& around);

// What a program that fetches others keeps them in, below a home: .npm of npx. It must be there
// before a right can be given to it.
std::vector<std::string> cache_folders(const Surroundings& around);

}  // namespace runnel::tools
