#include "tools/sandbox/sandbox.hpp"

#include "base/log.hpp"
#include "tools/sandbox/landlock.hpp"
#include "tools/sandbox/syscall_filter.hpp"

#include <atomic>
#include <cerrno>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace runnel::tools {
namespace {

void warn_once() {
    static std::atomic<bool> told = false;
    if (told.exchange(true)) return;
    log::Line(log::Level::warning, "sandbox")
        .add("message",
             "this kernel has no Landlock (Linux 5.13 and later, where it is switched on): MCP "
             "servers that are started here can read all files that the gateway's user can; run "
             "them as another user (mcp.user)")
        .write();
}

// A gateway of root's has all of them, and with those Landlock's rules can be got round: whoever
// may watch the machine's performance may read every process's memory.
int give_up_capabilities() {
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    constexpr unsigned long capability_count = 64;
    for (unsigned long number = 0; number < capability_count; ++number)
        ::prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    return ::syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

}  // namespace

Sandbox::Sandbox(const SandboxConfig& config, const Surroundings& around)
    : filter_(syscall_filter(config)) {
    rules_ = landlock_rules(grants_of(config, around),
                            config.network ? Reach::network : Reach::no_network,
                            config.local_sockets ? Others::within_reach : Others::out_of_reach);
    if (!rules_.is_open()) warn_once();
}

int Sandbox::enter() const {
    if (const int error = give_up_capabilities()) return error;
    if (rules_.is_open())
        if (const int error = obey_landlock(rules_.get())) return error;
    return obey_syscall_filter(filter_);
}

}  // namespace runnel::tools
