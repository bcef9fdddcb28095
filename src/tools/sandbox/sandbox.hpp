#pragma once

#include "base/owned_descriptor.hpp"
#include "tools/config.hpp"
#include "tools/sandbox/paths.hpp"

#include <vector>

#include <linux/filter.h>

namespace runnel::tools {

// What a program gives up before it runs. Made by whoever starts it, because nothing can be
// allocated between fork and exec.
class Sandbox {
public:
    // Where the kernel has no Landlock, a warning in the log says so once, and files are protected
    // by their owners and modes alone.
    Sandbox(const SandboxConfig& config, const Surroundings& around);

    // Safe between fork and exec. 0, or the error number.
    int enter() const;

private:
    OwnedDescriptor rules_;
    std::vector<sock_filter> filter_;
};

}  // namespace runnel::tools
