#pragma once

#include "base/owned_descriptor.hpp"
#include "tools/sandbox/paths.hpp"

#include <vector>

// Linux's Landlock: rights that a process gives up, for itself and all that it starts.
namespace runnel::tools {

// Which version of it the kernel has; 0: none, or none for us.
int landlock_version();

enum class Reach { network, no_network };
enum class Others { within_reach, out_of_reach };

// The rules as something that a process can take upon itself; no descriptor where the kernel can't.
// `others`: whether abstract sockets of programs outside can be spoken to.
OwnedDescriptor landlock_rules(const std::vector<Grant>& grants, Reach reach, Others others);

// Takes them upon the calling thread. Safe between fork and exec. 0, or the error number.
int obey_landlock(int rules);

}  // namespace runnel::tools
