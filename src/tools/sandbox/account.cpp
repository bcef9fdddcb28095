#include "tools/sandbox/account.hpp"

#include <fmt/format.h>
#include <grp.h>

#include <cerrno>

#include <pwd.h>
#include <unistd.h>

namespace runnel::tools {

Result<Account> find_account(const std::string& name) {
    std::vector<char> texts(16 * 1024);
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwnam_r(name.c_str(), &entry, texts.data(), texts.size(), &found) != 0 || !found)
        return fail(ErrorKind::invalid_value,
                    fmt::format("there is no user '{}' on this machine; make one with adduser "
                                "--system {}",
                                name, name));
    if (::geteuid() != 0 && ::geteuid() != found->pw_uid)
        return fail(ErrorKind::invalid_value,
                    fmt::format("only a gateway that root has started can run a program as '{}'; "
                                "leave user out, and the sandbox on",
                                name));
    Account account{name, found->pw_dir, found->pw_uid, found->pw_gid};
    int count = 64;
    account.groups.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(name.c_str(), account.group, account.groups.data(), &count) < 0) {
        account.groups.resize(static_cast<std::size_t>(count));
        ::getgrouplist(name.c_str(), account.group, account.groups.data(), &count);
    }
    account.groups.resize(static_cast<std::size_t>(count));
    return account;
}

int become(const Account& account) {
    if (::geteuid() == account.user) return 0;
    if (::setgroups(account.groups.size(), account.groups.data()) != 0 ||
        ::setresgid(account.group, account.group, account.group) != 0 ||
        ::setresuid(account.user, account.user, account.user) != 0)
        return errno;
    return 0;
}

}  // namespace runnel::tools
