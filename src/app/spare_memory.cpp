#include "app/spare_memory.hpp"

#include "base/limits.hpp"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include <unistd.h>

namespace runnel::app {
namespace {

// Bodies and answers beyond this size are few enough to be asked of the system one by one.
constexpr int large_bytes = 256 * limits::kib;
constexpr int kept_bytes = limits::mib;  // at the end of each heap, for what comes next

constexpr auto look_interval = std::chrono::seconds(10);
constexpr std::size_t spare_bytes = 4 * limits::mib;  // that may lie free at any time

// Memory of its own that the process holds now.
std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");  // in pages: all, resident, shared with files
    std::size_t all = 0;
    std::size_t resident = 0;
    std::size_t shared = 0;
    file >> all >> resident >> shared;
    return (resident - std::min(resident, shared)) *
           static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void set_up_allocator() {
    ::mallopt(M_MMAP_THRESHOLD, large_bytes);
    ::mallopt(M_TRIM_THRESHOLD, kept_bytes);
}

SpareMemory::SpareMemory(boost::asio::io_context* loop) : timer_(*loop) { look_later(); }

void SpareMemory::look_later() {
    timer_.expires_after(look_interval);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        look();
        look_later();
    });
}

// Each heap is locked while it is looked at or trimmed, so neither is done in vain: under load what
// is free is about to be used.
void SpareMemory::look() {
    const std::size_t resident = resident_bytes();
    if (resident < spare_bytes) return;
    const struct mallinfo2 heaps = ::mallinfo2();
    const std::size_t used = heaps.uordblks + heaps.hblkhd;
    const std::size_t spare = resident - std::min(resident, used);
    if (spare > std::max(spare_bytes, resident / 2)) ::malloc_trim(0);
}

}  // namespace runnel::app
