#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace runnel::tools {

// A new folder for the temporary files of one program, which go with this object.
class OwnFolder {
public:
    struct Owner {
        uid_t user;
        gid_t group;
    };
    // Where temporary files are kept; nothing where there is no room. Without an owner it is ours.
    static std::optional<OwnFolder> make(std::optional<Owner> owner);
    OwnFolder(OwnFolder&& other) noexcept;
    OwnFolder& operator=(OwnFolder&& other) noexcept;
    ~OwnFolder();

    const std::string& path() const { return path_; }

private:
    explicit OwnFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;  // empty: moved away
};

}  // namespace runnel::tools
