#include "agent/child_process.hpp"

#include "http/watchdog.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <spawn.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace runnel::agent {

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

// A descriptor until somebody else takes it.
class OwnedDescriptor {
public:
    OwnedDescriptor() = default;
    explicit OwnedDescriptor(int number) : number_(number) {}
    OwnedDescriptor(OwnedDescriptor&& other) noexcept : number_(other.release()) {}
    OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~OwnedDescriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int get() const { return number_; }
    int release() { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

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

// What the child does between being made and running the program.
class SpawnPlan {
public:
    SpawnPlan() {
        posix_spawn_file_actions_init(&actions_);
        posix_spawnattr_init(&attributes_);
    }
    ~SpawnPlan() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    void use_streams(const std::array<int, 3>& streams) {
        for (int i = 0; i < 3; ++i)
            posix_spawn_file_actions_adddup2(&actions_, streams[static_cast<std::size_t>(i)], i);
        // Sockets of clients must not live on in a child.
        posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
    }
    void run_in(const std::string& folder) {
        if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    }
    // A group of its own, and signals as any program expects them.
    void stand_alone() {
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                                   POSIX_SPAWN_SETSIGMASK);
    }
    // 0, or the error number.
    int spawn(pid_t* pid, const ChildProcess::Command& command) {
        std::vector<std::string> args = command.args;
        args.insert(args.begin(), command.program);
        std::vector<std::string> environment = command.environment;
        return posix_spawnp(pid, command.program.c_str(), &actions_, &attributes_,
                            pointers(args).data(), pointers(environment).data());
    }

private:
    static std::vector<char*> pointers(std::vector<std::string>& texts) {
        std::vector<char*> out;
        for (std::string& text : texts) out.push_back(text.data());
        out.push_back(nullptr);
        return out;
    }

    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

std::unexpected<Error> cant_start(const ChildProcess::Command& command, int number) {
    std::string cure;
    if (number == ENOENT)
        cure = command.folder.empty()
                   ? fmt::format("; is '{}' installed and in PATH?", command.program)
                   : fmt::format("; are '{}' and the folder '{}' there?", command.program,
                                 command.folder);
    return fail(ErrorKind::upstream_unreachable,
                fmt::format("can't be started: {}{}", std::strerror(number), cure));
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const asio::any_io_executor& executor,
                                                          const Command& command) {
    Pipe in, out, errors;
    if (!open_pipe(in) || !open_pipe(out) || !open_pipe(errors)) return cant_start(command, errno);
    SpawnPlan plan;
    plan.run_in(command.folder);
    plan.use_streams({in.read.get(), out.write.get(), errors.write.get()});
    plan.stand_alone();
    pid_t pid = 0;
    if (const int number = plan.spawn(&pid, command)) return cant_start(command, number);
    const auto process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    const int number = errno;
    std::unique_ptr<ChildProcess> child(new ChildProcess(executor, pid, process));
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

}  // namespace runnel::agent
