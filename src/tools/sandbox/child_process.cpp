#include "tools/sandbox/child_process.hpp"

#include "http/watchdog.hpp"
#include "tools/sandbox/launch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace runnel::tools {

namespace asio = boost::asio;
using asio::awaitable;

namespace {

using namespace std::chrono_literals;

constexpr auto grace_time = 100ms;  // between SIGTERM and SIGKILL
constexpr auto kill_time = 1s;      // for the kernel to carry out the latter

constexpr const char* harmless_names[] = {"PATH",
                                          "HOME",
                                          "USER",
                                          "LOGNAME",
                                          "SHELL",
                                          "TERM",
                                          "LANG",
                                          "LC_ALL",
                                          "LC_CTYPE",
                                          "TZ",
                                          "TMPDIR",
                                          "HTTP_PROXY",
                                          "http_proxy",
                                          "HTTPS_PROXY",
                                          "https_proxy",
                                          "NO_PROXY",
                                          "no_proxy",
                                          "SSL_CERT_FILE",
                                          "SSL_CERT_DIR",
                                          "NODE_EXTRA_CA_CERTS",
                                          "XDG_DATA_HOME",
                                          "XDG_CACHE_HOME",
                                          "XDG_CONFIG_HOME",
                                          "XDG_RUNTIME_DIR"};

struct Pipe {
    OwnedDescriptor read, write;
};

bool open_pipe(Pipe& out) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    out.read = OwnedDescriptor(ends[0]);
    out.write = OwnedDescriptor(ends[1]);
    return true;
}

std::unexpected<Error> cant_start(const ChildProcess::Command& command, int number,
                                  std::string_view step = "") {
    std::string cure;
    if (number == ENOENT)
        cure = command.folder.empty()
                   ? fmt::format("; is '{}' installed and in PATH?", command.program)
                   : fmt::format("; are '{}' and the folder '{}' there?", command.program,
                                 command.folder);
    if (step == sandbox_step) cure = "; with `sandbox: off` it is started without";
    return fail(ErrorKind::upstream_unreachable,
                fmt::format("can't be started: {}{}{}{}", step, step.empty() ? "" : ": ",
                            std::strerror(number), cure));
}

std::optional<OwnFolder> temporary_folder(const ChildProcess::Command& command) {
    if (!command.account) return OwnFolder::make(std::nullopt);
    return OwnFolder::make(OwnFolder::Owner{command.account->user, command.account->group});
}

std::optional<std::string> variable_of(const std::vector<std::string>& environment,
                                       std::string_view name) {
    for (const std::string& variable : environment)
        if (variable.starts_with(name) && variable.substr(name.size()).starts_with('='))
            return variable.substr(name.size() + 1);
    return std::nullopt;
}

Surroundings surroundings_of(const ChildProcess::Command& command, const Launch& wanted,
                             const std::string& temporary) {
    const auto value = [&](std::string_view name) {
        return variable_of(wanted.environment, name).value_or("");
    };
    Surroundings around{.program = wanted.program,
                        .args = command.args,
                        .folder = command.folder,
                        .home = value("HOME"),
                        .path = value("PATH"),
                        .temporary = temporary,
                        .cache = value("XDG_CACHE_HOME"),
                        .hidden = command.hidden};
    // In the home of another user it is not for root to make anything.
    std::error_code ignored;
    if (!command.account)
        for (const std::string& folder : cache_folders(around))
            std::filesystem::create_directories(folder, ignored);
    return around;
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const asio::any_io_executor& executor,
                                                          const Command& command) {
    Pipe in, out, errors;
    if (!open_pipe(in) || !open_pipe(out) || !open_pipe(errors)) return cant_start(command, errno);
    Launch wanted{find_program(command.program), command.args, command.environment, command.folder};
    if (wanted.program.empty()) return cant_start(command, ENOENT);
    wanted.words.insert(wanted.words.begin(), command.program);
    wanted.streams = {in.read.get(), out.write.get(), errors.write.get()};
    wanted.account = command.account ? &*command.account : nullptr;
    std::optional<OwnFolder> temporary;
    std::optional<Sandbox> sandbox;
    if (command.sandbox.on) {
        temporary = temporary_folder(command);
        if (!temporary) return cant_start(command, errno);
        if (!variable_of(wanted.environment, "TMPDIR"))
            wanted.environment.push_back("TMPDIR=" + temporary->path());
        sandbox.emplace(command.sandbox, surroundings_of(command, wanted, temporary->path()));
        wanted.sandbox = &*sandbox;
    }
    const auto pid = launch(wanted);
    if (!pid) return cant_start(command, pid.error().error, pid.error().step);
    const auto process = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
    const int number = errno;
    std::unique_ptr<ChildProcess> child(new ChildProcess(executor, *pid, process));
    child->temporary_ = std::move(temporary);
    if (process < 0) return cant_start(command, number);
    child->input_.assign(in.write.release());
    child->output_.assign(out.read.release());
    child->errors_.assign(errors.read.release());
    return child;
}

ChildProcess::ChildProcess(const asio::any_io_executor& executor, pid_t pid, int process_descriptor)
    : pid_(pid),
      process_(executor),
      input_(executor),
      output_(executor),
      errors_(executor) {
    if (process_descriptor >= 0) process_.assign(process_descriptor);
}

// Where the loop still runs, end() has been waited for. Here nobody can wait but us.
ChildProcess::~ChildProcess() {
    if (reaped_) return;
    boost::system::error_code ignored;
    input_.close(ignored);
    signal_group(SIGTERM);
    const auto until = std::chrono::steady_clock::now() + grace_time;
    while (!try_reap() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);
    if (reaped_) return;
    signal_group(SIGKILL);
    ::waitpid(pid_, &status_, 0);
}

void ChildProcess::when_ended(std::function<void()> call) {
    process_.async_wait(Descriptor::wait_read,
                        [this, call = std::move(call)](boost::system::error_code error) mutable {
                            if (error) return;
                            // A wait may end for an event that was another descriptor's.
                            if (has_ended()) {
                                call();
                            } else {
                                when_ended(std::move(call));
                            }
                        });
}

awaitable<bool> ChildProcess::ended_within(std::chrono::milliseconds time) {
    http::Watchdog watchdog(process_.get_executor());
    watchdog.set(http::Watchdog::Clock::now() + time, [this] { process_.cancel(); });
    while (!try_reap()) {
        const auto [error] = co_await process_.async_wait(Descriptor::wait_read,
                                                          asio::as_tuple(asio::use_awaitable));
        if (error) co_return try_reap();
    }
    co_return true;
}

awaitable<void> ChildProcess::end() {
    boost::system::error_code ignored;
    input_.close(ignored);
    if (try_reap()) co_return;
    signal_group(SIGTERM);
    if (co_await ended_within(grace_time)) co_return;
    signal_group(SIGKILL);
    (void)co_await ended_within(kill_time);
}

bool ChildProcess::has_ended() const {
    siginfo_t info{};
    const int flags = WEXITED | WNOHANG | WNOWAIT;
    return reaped_ ||
           (::waitid(P_PID, static_cast<id_t>(pid_), &info, flags) == 0 && info.si_pid != 0);
}

bool ChildProcess::try_reap() {
    if (reaped_ || !has_ended()) return reaped_;
    // As long as it is there, nobody else can be given the group's number.
    signal_group(SIGKILL);
    reaped_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return reaped_;
}

void ChildProcess::signal_group(int signal) const { ::kill(-pid_, signal); }

std::string ChildProcess::how_it_ended() const {
    if (!reaped_) return "closed its output";
    if (WIFSIGNALED(status_)) return fmt::format("was killed by signal {}", WTERMSIG(status_));
    return fmt::format("exited with status {}", WEXITSTATUS(status_));
}

std::vector<std::string> harmless_environment() {
    std::vector<std::string> out;
    for (const char* name : harmless_names)
        if (const char* value = std::getenv(name)) out.push_back(fmt::format("{}={}", name, value));
    return out;
}

}  // namespace runnel::tools
