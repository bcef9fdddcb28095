#pragma once

#include "tools/config.hpp"

#include <vector>

#include <linux/filter.h>

namespace runnel::tools {

// What a sandboxed program can't ask of the kernel: to look into other processes or to
// hold them back, to open sockets that the config does not give it or to join those of others, and
// what only serves to take a machine over. Empty for
// processors that this does not know.
std::vector<sock_filter> syscall_filter(const SandboxConfig& config);

// Takes it upon the calling thread, which must have given up new privileges. Safe between fork and
// exec. 0, or the error number.
int obey_syscall_filter(const std::vector<sock_filter>& filter);

}  // namespace runnel::tools
