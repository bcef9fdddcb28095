#include "tools/sandbox/launch.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <ranges>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace runnel::tools {
namespace {

// The steps of the child that can fail, in their order.
enum class LaunchStep { streams, folder, user, end_with_us, privileges, sandbox, program };
constexpr std::string_view step_names[] = {
    "its streams",       "its folder", "its user", "its end with ours",
    "no new privileges", sandbox_step, ""};

struct Report {
    int step;
    int error;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

int use_streams(const std::array<int, 3>& numbers) {
    for (int i = 0; i < 3; ++i) {
        const int number = numbers[static_cast<std::size_t>(i)];
        const int done = number == i ? ::fcntl(i, F_SETFD, 0) : ::dup2(number, i);
        if (done < 0) return errno;
    }
    return 0;
}

// Sockets of clients must not live on in a child. They are closed when the program runs: until then
// a failure must be told.
void close_the_rest() {
    constexpr unsigned on_exec = 4;
    if (::syscall(SYS_close_range, 3U, ~0U, on_exec) == 0) return;
    const long count = ::sysconf(_SC_OPEN_MAX);
    for (int number = 3; number < count; ++number) ::fcntl(number, F_SETFD, FD_CLOEXEC);
}

// As any program expects them.
void reset_signals() {
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &usual, nullptr);
}

int end_with(pid_t parent) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
    return ::getppid() == parent ? 0 : ESRCH;
}

// Everything between fork and exec. Other threads held locks that nobody lets go of here: nothing
// but system calls.
class Child {
public:
    Child(const Launch& wanted, char* const* words, char* const* environment, int report)
        : wanted_(wanted),
          words_(words),
          environment_(environment),
          parent_(::getpid()),
          report_(report) {}

    [[noreturn]] void run() const {
        ::setsid();  // without our terminal, at which it could type
        reset_signals();
        need(LaunchStep::streams, use_streams(wanted_.streams));
        close_the_rest();
        if (!wanted_.folder.empty() && ::chdir(wanted_.folder.c_str()) != 0)
            need(LaunchStep::folder, errno);
        if (wanted_.account) need(LaunchStep::user, become(*wanted_.account));
        need(LaunchStep::end_with_us,
             end_with(parent_));  // after the user: a change of it takes it back
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) need(LaunchStep::privileges, errno);
        if (wanted_.sandbox) need(LaunchStep::sandbox, wanted_.sandbox->enter());
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::execve(wanted_.program.c_str(), words_, environment_);
        need(LaunchStep::program, errno);
        ::_exit(127);
    }

private:
    void need(LaunchStep step, int error) const {
        if (error == 0) return;
        const Report report{static_cast<int>(step), error};
        (void)!::write(report_, &report, sizeof report);
        ::_exit(127);
    }

    const Launch& wanted_;
    char* const* words_;
    char* const* environment_;
    pid_t parent_;
    int report_;
};

// No handler of ours may run in the child.
class SignalsHeld {
public:
    SignalsHeld() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

private:
    sigset_t before_;
};

bool is_program(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::expected<pid_t, LaunchFailure> launch(const Launch& wanted) {
    std::vector<std::string> words = wanted.words;
    std::vector<std::string> environment = wanted.environment;
    const auto word_pointers = pointers(words);
    const auto environment_pointers = pointers(environment);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(LaunchFailure{"", errno});
    const OwnedDescriptor reports(ends[0]);
    OwnedDescriptor report(ends[1]);
    const Child child(wanted, word_pointers.data(), environment_pointers.data(), report.get());
    pid_t pid = 0;
    {
        const SignalsHeld held;
        pid = ::fork();
        if (pid == 0) child.run();
    }
    if (pid < 0) return std::unexpected(LaunchFailure{"", errno});
    report = OwnedDescriptor();
    // Ends when the program runs: that closes the other end.
    Report said{};
    ssize_t count = 0;
    do count = ::read(reports.get(), &said, sizeof said);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return pid;
    ::waitpid(pid, nullptr, 0);
    return std::unexpected(
        LaunchFailure{step_names[static_cast<std::size_t>(said.step)], said.error});
}

std::string find_program(const std::string& name) {
    if (name.contains('/')) return name;
    const char* path = std::getenv("PATH");
    for (const auto part :
         std::views::split(std::string_view(path ? path : "/usr/bin:/bin"), ':')) {
        const auto candidate = std::filesystem::path(std::string_view(part)) / name;
        if (is_program(candidate)) return candidate.string();
    }
    return {};
}

}  // namespace runnel::tools
