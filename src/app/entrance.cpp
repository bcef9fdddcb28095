#include "app/entrance.hpp"

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

}  // namespace runnel::app
