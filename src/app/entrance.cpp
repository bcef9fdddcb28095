#include "app/entrance.hpp"

#include "base/limits.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <filesystem>

#include <sys/resource.h>

namespace runnel::app {

http::ServerTlsFiles tls_files(const config::Tls& tls) {
    return {tls.cert, tls.key, tls.client_ca};
}

Result<http::Entrance> open_entrance(const config::Config& config, http::ConnectionLimits limits) {
    using ProxyProtocol = http::Entrance::ProxyProtocol;
    http::Entrance entrance{std::move(limits)};
    std::vector<runnel::AddressRange> proxies;
    for (const std::string& text : config.trusted_proxies)
        if (const auto range = runnel::read_address_range(text)) proxies.push_back(*range);
    entrance.limits.proxies = std::make_shared<const http::TrustedProxies>(std::move(proxies));
    if (config.proxy_protocol) entrance.proxy_protocol = ProxyProtocol::required;
    if (!config.tls) return entrance;
    auto tls = http::make_server_tls(tls_files(*config.tls));
    if (!tls) return propagate(tls);
    entrance.tls = std::move(*tls);
    return entrance;
}

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

ConnectionQuota::ConnectionQuota(std::size_t threads)
    : threads_(threads),
      essential_(std::max(essential_in_all / threads, essential_min)) {}

void ConnectionQuota::begin(const config::Limits& limits) {
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
void ConnectionQuota::use(const config::Limits& limits) {
    const std::size_t all =
        limits.connections > 0 ? limits.connections : std::min(possible_, connections_by_default);
    const std::size_t share = std::max<std::size_t>(all - all / 4, 1);
    slots_.set_limits(
        {all, limits.connections_per_address > 0 ? limits.connections_per_address : share});
}

}  // namespace runnel::app
