#include "http/destination.hpp"

#include <fmt/format.h>

namespace runnel::http {

Result<Destination> find_destination(std::string_view origin, std::string_view proxy,
                                     Environment environment) {
    Destination destination;
    auto parsed = read_origin(origin);
    if (!parsed) return propagate(parsed);
    destination.origin = std::move(*parsed);
    if (!proxy.empty()) {
        auto given = read_proxy(proxy);
        if (!given) return propagate(given);
        destination.proxy = std::move(*given);
    } else {
        auto usual = environment_proxy(destination.origin, environment);
        if (!usual) return propagate(usual);
        destination.proxy = std::move(*usual);
    }
    destination.pool_key = origin;
    if (destination.proxy)
        destination.pool_key +=
            fmt::format(" by {}:{}", destination.proxy->host, destination.proxy->port);
    return destination;
}

}  // namespace runnel::http
