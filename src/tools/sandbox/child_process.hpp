#pragma once

#include "base/result.hpp"
#include "tools/config.hpp"
#include "tools/sandbox/account.hpp"
#include "tools/sandbox/own_folder.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace runnel::tools {

// A program that runs beside us, with pipes to its standard streams. It leads a process group of
// its own, so that whatever it starts ends with it; it inherits no other descriptor of ours, gains
// no privileges, and is in a sandbox unless the command says otherwise. Where this object goes, the
// whole group goes, at once.
class ChildProcess {
public:
    using Descriptor = boost::asio::posix::stream_descriptor;

    struct Command {
        std::string program;  // looked for in PATH, unless there is a slash in it
        std::vector<std::string> args;
        std::vector<std::string> environment;  // NAME=value, and nothing else
        std::string folder;                    // to run in; empty: ours
        std::optional<Account> account{};      // to run as; nothing: ours
        SandboxConfig sandbox{};
        std::vector<std::string> hidden{};  // what the sandbox keeps from it in any case
    };
    static Result<std::unique_ptr<ChildProcess>> start(const boost::asio::any_io_executor& executor,
                                                       const Command& command);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    Descriptor& input() { return input_; }    // ours to write
    Descriptor& output() { return output_; }  // ours to read
    Descriptor& errors() { return errors_; }  // ours to read

    // Calls back once, when the process has ended. `call` keeps this object alive.
    void when_ended(std::function<void()> call);
    // Whether it has ended, now or within the time. What is left of its group is killed then.
    boost::asio::awaitable<bool> ended_within(std::chrono::milliseconds time);
    // Asks it to end, gives it a moment, and kills it.
    boost::asio::awaitable<void> end();

    // "exited with status 1". Once it has ended.
    std::string how_it_ended() const;

private:
    ChildProcess(const boost::asio::any_io_executor& executor, pid_t pid, int process_descriptor);
    bool has_ended() const;
    bool try_reap();
    void signal_group(int signal) const;

    pid_t pid_;
    Descriptor process_;  // readable when the process has ended
    Descriptor input_, output_, errors_;
    bool reaped_ = false;
    int status_ = 0;
    std::optional<OwnFolder> temporary_;  // of a program in a sandbox
};

// Those variables of ours that any program may need (PATH, HOME, proxies, …) as NAME=value: our
// keys are not among them.
std::vector<std::string> harmless_environment();

}  // namespace runnel::tools
