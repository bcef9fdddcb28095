#pragma once

#include "config/changes.hpp"
#include "store/audit.hpp"

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::server {

// What the admin API can have done to the process as a whole. Implemented where the process is put
// together; asked from any thread.
class Operations {
public:
    virtual ~Operations() = default;

    using Reloaded = std::expected<config::Changes, std::vector<config::Problem>>;
    // Reads the config again, off the caller's thread; requests that run keep the one they have.
    // The audit log has it. `done` is called once, on any thread, when every thread uses the new
    // one, or when it has problems and nothing was changed.
    virtual void reload(store::Actor by, std::function<void(Reloaded)> done) = 0;

    // The config that is in use, as it was read, with its secrets.
    struct ConfigText {
        std::string file;  // empty: there is none; then the text is what the defaults come to
        std::string text;
    };
    virtual ConfigText config_text() const = 0;

    // What is wrong with a config's text; nothing is changed.
    virtual std::vector<config::Problem> problems_of(std::string_view config_text) const = 0;

    // Has this done by a thread that serves no requests.
    virtual void aside(std::move_only_function<void()> work) = 0;
};

}  // namespace runnel::server
