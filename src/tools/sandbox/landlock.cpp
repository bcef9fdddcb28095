#include "tools/sandbox/landlock.hpp"

#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace runnel::tools {
namespace {

// The kernel's own header is often older than the kernel: these are part of its stable interface.
constexpr long create_ruleset_call = 444;
constexpr long add_rule_call = 445;
constexpr long restrict_self_call = 446;
constexpr unsigned ask_for_version = 1;
constexpr int path_beneath = 1;

struct RulesetAttributes {
    std::uint64_t handled_files = 0;
    std::uint64_t handled_network = 0;  // from version 4 on
    std::uint64_t scoped = 0;           // from version 6 on
};
struct __attribute__((packed)) PathAttributes {
    std::uint64_t allowed = 0;
    std::int32_t folder = -1;
};

constexpr std::uint64_t bit(int number) { return std::uint64_t{1} << number; }
constexpr std::uint64_t execute = bit(0), write_file = bit(1), read_file = bit(2),
                        read_folder = bit(3), refer = bit(13), truncate = bit(14);
constexpr std::uint64_t of_version_1 = bit(13) - 1;  // remove, make files of every kind, …
constexpr std::uint64_t make_devices = bit(6) | bit(11);
constexpr std::uint64_t for_files = execute | write_file | read_file | truncate;
constexpr std::uint64_t bind_tcp = bit(0), connect_tcp = bit(1);
constexpr std::uint64_t abstract_sockets = bit(0), signals = bit(1);

constexpr int version_with_refer = 2;
constexpr int version_with_truncate = 3;
constexpr int version_with_network = 4;
constexpr int version_with_scopes = 6;

std::uint64_t handled_by(int version) {
    std::uint64_t all = of_version_1;
    if (version >= version_with_refer) all |= refer;
    if (version >= version_with_truncate) all |= truncate;
    return all;
}

std::uint64_t allowed_by(Grant::Right right, std::uint64_t handled) {
    switch (right) {
        case Grant::Right::list: return read_folder;
        case Grant::Right::read: return read_folder | read_file | execute;
        case Grant::Right::write: return handled & ~make_devices;
    }
    return 0;
}

// What can't be opened can't be used either: nothing is lost.
void add(const OwnedDescriptor& rules, const Grant& grant, std::uint64_t handled) {
    const OwnedDescriptor place(::open(grant.path.c_str(), O_PATH | O_CLOEXEC));
    struct stat facts{};
    if (!place.is_open() || ::fstat(place.get(), &facts) != 0) return;
    PathAttributes rule{allowed_by(grant.right, handled), place.get()};
    if (!S_ISDIR(facts.st_mode)) rule.allowed &= for_files;
    ::syscall(add_rule_call, rules.get(), path_beneath, &rule, 0);
}

}  // namespace

int landlock_version() {
    const long version = ::syscall(create_ruleset_call, nullptr, 0, ask_for_version);
    return version < 0 ? 0 : static_cast<int>(version);
}

OwnedDescriptor landlock_rules(const std::vector<Grant>& grants, Reach reach, Others others) {
    const int version = landlock_version();
    if (version == 0) return {};
    RulesetAttributes attributes{.handled_files = handled_by(version)};
    std::size_t known = sizeof attributes.handled_files;
    if (version >= version_with_network) {
        known = 2 * sizeof(std::uint64_t);
        if (reach == Reach::no_network) attributes.handled_network = bind_tcp | connect_tcp;
    }
    if (version >= version_with_scopes) {
        known = sizeof attributes;
        attributes.scoped = signals;
        if (others == Others::out_of_reach) attributes.scoped |= abstract_sockets;
    }
    OwnedDescriptor rules(static_cast<int>(::syscall(create_ruleset_call, &attributes, known, 0)));
    if (!rules.is_open()) return rules;
    for (const Grant& grant : grants) add(rules, grant, attributes.handled_files);
    return rules;
}

int obey_landlock(int rules) { return ::syscall(restrict_self_call, rules, 0) == 0 ? 0 : errno; }

}  // namespace runnel::tools
