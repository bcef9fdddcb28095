#include "provider/core/base_url.hpp"

#include "base/authority.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::provider {

// The path is taken as it is written; Boost.URL, which reads the host, would refuse signs in it
// that providers have.
Result<BaseUrl> read_base_url(std::string_view url) {
    const std::size_t scheme = url.find("://");
    const std::string_view name = url.substr(0, scheme == std::string_view::npos ? 0 : scheme);
    if (name != "http" && name != "https")
        return fail(ErrorKind::invalid_value,
                    fmt::format("'{}' is not a URL: it must begin with http:// or https://", url));
    const std::size_t host = scheme + 3;
    const std::size_t path = std::min(url.find_first_of("/?#", host), url.size());
    if (!read_authority(url.substr(host, path - host)))
        return fail(ErrorKind::invalid_value,
                    fmt::format("'{}' must have a host, or host:port, behind the //", url));
    if (url.find_first_of("?#", host) != std::string_view::npos)
        return fail(ErrorKind::invalid_value,
                    fmt::format("'{}': a base URL has neither a query nor a fragment", url));
    BaseUrl parts{std::string(url.substr(0, path)), std::string(url.substr(path))};
    while (!parts.path.empty() && parts.path.back() == '/') parts.path.pop_back();
    return parts;
}

}  // namespace runnel::provider
