#include "base/redis_address.hpp"

#include "base/authority.hpp"
#include "base/percent_encoding.hpp"

#include <charconv>
#include <optional>

namespace runnel {
namespace {

constexpr std::uint16_t default_port = 6379;
constexpr int db_max = 1'000'000;

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorKind::invalid_value, std::move(why));
}

std::optional<int> read_db(std::string_view text) {
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < 0 || number > db_max) return std::nullopt;
    return number;
}

}  // namespace

Result<RedisAddress> read_redis_url(std::string_view url) {
    constexpr std::string_view scheme = "redis://";
    if (url.starts_with("rediss://"))
        return refused("rediss:// (TLS) is not supported by the Redis library of this build; use "
                       "redis:// on a private network, or a tunnel such as stunnel");
    if (!url.starts_with(scheme))
        return refused("a Redis URL looks like redis://user:password@host:6379/0");
    url.remove_prefix(scheme.size());
    RedisAddress address;
    // A password may have any sign in it, also one that a URL can't: the last @ ends it.
    if (const std::size_t at = url.rfind('@'); at != std::string_view::npos) {
        const std::string_view who = url.substr(0, at);
        const std::size_t colon = who.find(':');
        if (colon == std::string_view::npos)
            return refused("before the @ of a Redis URL stands user:password, or :password");
        auto user = percent_decoded_strictly(who.substr(0, colon));
        auto password = percent_decoded_strictly(who.substr(colon + 1));
        if (!user || !password || password->empty())
            return refused(
                "the user or password of the Redis URL is not readable; write signs such "
                "as @ and % in it as %40 and %25");
        address.user = std::move(*user);
        address.password = Secret(std::move(*password));
        url.remove_prefix(at + 1);
    }
    if (const std::size_t slash = url.find('/'); slash != std::string_view::npos) {
        const std::string_view db = url.substr(slash + 1);
        const auto number = db.empty() ? std::optional(0) : read_db(db);
        if (!number) return refused("behind the / of a Redis URL stands the database's number");
        address.db = *number;
        url = url.substr(0, slash);
    }
    const auto place = read_authority(url);
    if (!place || place->port == 0)
        return refused("a Redis URL names a host, perhaps with a port from 1 to 65535, as in "
                       "redis://host:6379/0");
    address.host = place->host;
    address.port = place->port.value_or(default_port);
    return address;
}

}  // namespace runnel
