#pragma once

#include <ostream>
#include <string>

namespace runnel::cli {

struct AdminLinkOptions {
    std::string config_file{};
    std::string data{};  // in place of the config's
};

// `runnel admin-link`: has the running gateway make a link that opens its console, once. The
// process's exit status.
int admin_link(const AdminLinkOptions& options, std::ostream& out, std::ostream& err);

}  // namespace runnel::cli
