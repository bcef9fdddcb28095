#include "http/client/destination.hpp"

#include <fmt/format.h>

#include <sys/un.h>

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

Result<Destination> find_local_destination(std::string_view path) {
    if (path.size() >= sizeof(sockaddr_un::sun_path))
        return fail(ErrorKind::invalid_value,
                    fmt::format("{} is too long for a socket; go to its folder and name it from "
                                "there",
                                path));
    Destination destination;
    destination.origin = {Origin::Scheme::http, "localhost", "80", "localhost"};
    destination.local_socket = path;
    destination.pool_key = fmt::format("unix:{}", path);
    return destination;
}

}  // namespace runnel::http
