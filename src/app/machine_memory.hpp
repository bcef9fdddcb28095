#pragma once

#include <cstddef>
#include <filesystem>

namespace runnel::app {

// The memory that this process may have: the machine's, or what a control group (of version 2 or
// 1) on the way to the process leaves of it. 0: nobody says. The folders are /proc and
// /sys/fs/cgroup, but for tests.
std::size_t machine_memory(const std::filesystem::path& proc = "/proc",
                           const std::filesystem::path& cgroups = "/sys/fs/cgroup");

// Of that, what requests and answers may take where the config does not say.
std::size_t default_memory_budget(std::size_t machine_bytes);

}  // namespace runnel::app
