#include "app/seating.hpp"

#include "base/limits.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <filesystem>

#include <sys/resource.h>

namespace runnel::app {
namespace {

constexpr std::size_t essential_in_all = 32;
constexpr std::size_t essential_min = 2;  // of each thread
constexpr std::size_t connections_min = 8;
// More than these are wished for by somebody who says so: each costs memory too.
constexpr std::size_t connections_by_default = 2 * limits::concurrent_requests;

std::size_t descriptor_limit() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

std::size_t descriptors_in_use() {
    std::error_code error;
    std::size_t count = 0;
    std::filesystem::directory_iterator entry("/proc/self/fd", error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
        ++count;
    return count;
}

}  // namespace

Seating::Seating(std::size_t threads)
    : threads_(threads),
      essential_(std::max(essential_in_all / threads, essential_min)) {}

void Seating::begin(const config::Limits& limits) {
    const std::size_t kept =
        descriptors_in_use() + limits::spare_descriptors + essential_ * threads_;
    const std::size_t all = descriptor_limit();
    possible_ = std::max(all > kept ? (all - kept) / 2 : 0, connections_min);
    use(limits);
    if (limits.connections > possible_)
        log::Line(log::Level::warning, "limits.connections is more than there can be")
            .add("connections", limits.connections)
            .add("possible", possible_)
            .add("descriptors", all)
            .add("detail", "raise the descriptor limit (ulimit -n, LimitNOFILE=): each stream "
                           "needs two")
            .write();
}

// One address leaves a quarter to the others.
void Seating::use(const config::Limits& limits) {
    const std::size_t all =
        limits.connections > 0 ? limits.connections : std::min(possible_, connections_by_default);
    const std::size_t share = std::max<std::size_t>(all - all / 4, 1);
    seats_.set_limits(
        {all, limits.connections_per_address > 0 ? limits.connections_per_address : share});
}

}  // namespace runnel::app
