#include "tools/sandbox/syscall_filter.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace runnel::tools {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t our_processor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t our_processor = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t our_processor = 0;
#endif
// From here on the same calls have other numbers (x32).
constexpr std::uint32_t other_numbers = 0x40000000;

constexpr std::uint32_t refused_calls[] = {
    // Other processes' memory and descriptors.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp,
    // Their share of the machine.
    SYS_sched_setaffinity, SYS_sched_setattr, SYS_sched_setparam, SYS_sched_setscheduler,
    SYS_setpriority, SYS_ioprio_set, SYS_migrate_pages, SYS_move_pages,
    // Files by another way than their path, on which rules for paths depend.
    SYS_open_by_handle_at, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_move_mount, SYS_open_tree,
    SYS_fsopen, SYS_fsmount,
    // The kernel itself, and what is kept in it.
    SYS_bpf, SYS_perf_event_open, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load, SYS_kexec_file_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_add_key,
    SYS_request_key, SYS_keyctl};

constexpr sock_filter statement(unsigned code, std::uint32_t value) {
    return {static_cast<std::uint16_t>(code), 0, 0, value};
}
// Goes on with the next statement, or leaves `skipped` out.
constexpr sock_filter if_equal(std::uint32_t value, std::uint8_t skipped_if_not) {
    return {BPF_JMP | BPF_JEQ | BPF_K, 0, skipped_if_not, value};
}
constexpr sock_filter load(std::size_t offset) {
    return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
constexpr sock_filter allow() { return statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
constexpr sock_filter refuse_with(int error) {
    return statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
}

// What the call's nth argument says, as far as it is a number of 32 bits.
constexpr sock_filter load_argument(std::size_t number) {
    return load(offsetof(seccomp_data, args) + number * sizeof(std::uint64_t));
}

// Rules for the arguments of one call; each of them ends in an outcome.
void add_rules_for(std::uint32_t call, const std::vector<sock_filter>& rules,
                   std::vector<sock_filter>& filter) {
    filter.push_back(if_equal(call, static_cast<std::uint8_t>(rules.size())));
    filter.insert(filter.end(), rules.begin(), rules.end());
}

// Limits of its own only: without descriptors or time on a processor, another process is at its
// end.
std::vector<sock_filter> limit_rules() {
    return {load_argument(0), if_equal(0, 1), allow(), refuse_with(EPERM)};
}

// Two sockets of one user share a port where both have SO_REUSEPORT, as the gateway's has: half of
// its clients would come with their keys to whoever joins it.
std::vector<sock_filter> socket_option_rules() {
    return {load_argument(1),          if_equal(SOL_SOCKET, 3), load_argument(2),
            if_equal(SO_REUSEPORT, 1), refuse_with(EPERM),      allow()};
}

// The kinds of sockets that may be made.
std::vector<sock_filter> socket_rules(const SandboxConfig& config) {
    std::vector<sock_filter> rules = {load_argument(0)};
    const auto rule = [&](int family, sock_filter outcome) {
        rules.push_back(if_equal(static_cast<std::uint32_t>(family), 1));
        rules.push_back(outcome);
    };
    rule(AF_UNIX, config.local_sockets ? allow() : refuse_with(EACCES));
    rule(AF_NETLINK, allow());  // which addresses this machine has
    rules.push_back(config.network ? allow() : refuse_with(EACCES));
    return rules;
}

}  // namespace

std::vector<sock_filter> syscall_filter(const SandboxConfig& config) {
    if (our_processor == 0) return {};
    std::vector<sock_filter> filter = {load(offsetof(seccomp_data, arch)),
                                       {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, our_processor},
                                       refuse_with(ENOSYS),
                                       load(offsetof(seccomp_data, nr)),
                                       {BPF_JMP | BPF_JGE | BPF_K, 0, 1, other_numbers},
                                       refuse_with(ENOSYS)};
    for (const std::uint32_t call : refused_calls) {
        filter.push_back(if_equal(call, 1));
        filter.push_back(refuse_with(EPERM));
    }
    // It can do what is refused here. Programs that know it can do without.
    filter.push_back(if_equal(SYS_io_uring_setup, 1));
    filter.push_back(refuse_with(ENOSYS));
    add_rules_for(SYS_prlimit64, limit_rules(), filter);
    add_rules_for(SYS_setsockopt, socket_option_rules(), filter);
    add_rules_for(SYS_socket, socket_rules(config), filter);
    filter.push_back(allow());
    return filter;
}

int obey_syscall_filter(const std::vector<sock_filter>& filter) {
    if (filter.empty()) return 0;
    const sock_fprog program{static_cast<unsigned short>(filter.size()),
                             const_cast<sock_filter*>(filter.data())};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

}  // namespace runnel::tools
