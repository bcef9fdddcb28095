#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace runnel::tools {

// Another user of this machine, whom a program is to run as.
struct Account {
    std::string name;
    std::string home;
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups{};
};

// The error says what to do: only root can become somebody else.
Result<Account> find_account(const std::string& name);

// Becomes that user, for good. Safe between fork and exec. 0, or the error number.
int become(const Account& account);

}  // namespace runnel::tools
