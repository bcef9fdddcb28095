#pragma once

#include "config/changes.hpp"
#include "exchange/await_callback.hpp"
#include "storage/audit.hpp"

#include <boost/asio/awaitable.hpp>

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
    virtual void reload(storage::Actor by, std::function<void(Reloaded)> done) = 0;

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

// The same for a coroutine that waits for it.
template <class T>
boost::asio::awaitable<T> aside(Operations* operations, std::move_only_function<T()> work) {
    auto ask = [operations, &work](exchange::Callback<T> answered) {
        operations->aside([answered = std::move(answered), work = std::move(work)]() mutable {
            answered(work());
        });
    };
    co_return co_await exchange::await_callback<T>(std::move(ask));
}

// What reading the config again came to, as JSON.
std::string reload_json(const Operations::Reloaded& outcome);

}  // namespace runnel::server
