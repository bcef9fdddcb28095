#include "app/private_memory.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace runnel::app {

void keep_memory_private() {
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace runnel::app
