#pragma once

#include "config/changes.hpp"

#include <expected>
#include <functional>
#include <vector>

namespace runnel::server {

// What the admin API can have done to the process as a whole. Implemented where the process is put
// together.
class Operations {
public:
    virtual ~Operations() = default;

    using Reloaded = std::expected<config::Changes, std::vector<config::Problem>>;
    // Reads the config again, off the caller's thread; requests that run keep the one they have.
    // `done` is called once, on any thread, when every thread uses the new one, or when it has
    // problems and nothing was changed.
    virtual void reload(std::function<void(Reloaded)> done) = 0;
};

}  // namespace runnel::server
