#pragma once

namespace runnel::app {

// Nobody but root may look into this process, through /proc, with a debugger or in what a crash
// leaves behind: the providers' keys are in its environment and memory.
void keep_memory_private();

}  // namespace runnel::app
