#include "policy/redis_address.hpp"

#include <charconv>
#include <optional>

namespace runnel::policy {
namespace {

constexpr int port_max = 65535;
constexpr int db_max = 1'000'000;

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorKind::invalid_value, std::move(why));
}

std::optional<int> number_up_to(std::string_view text, int most) {
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < 0 || number > most) return std::nullopt;
    return number;
}

// %40 is @, so that a password may have any character.
std::optional<std::string> percent_decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        unsigned char byte = 0;
        if (i + 2 >= text.size()) return std::nullopt;
        const char* const end = text.data() + i + 3;
        const auto [rest, error] = std::from_chars(text.data() + i + 1, end, byte, 16);
        if (error != std::errc() || rest != end) return std::nullopt;
        plain += static_cast<char>(byte);
        i += 2;
    }
    return plain;
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
    if (const std::size_t at = url.rfind('@'); at != std::string_view::npos) {
        const std::string_view who = url.substr(0, at);
        const std::size_t colon = who.find(':');
        if (colon == std::string_view::npos)
            return refused("before the @ of a Redis URL stands user:password, or :password");
        auto user = percent_decoded(who.substr(0, colon));
        auto password = percent_decoded(who.substr(colon + 1));
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
        const auto number = db.empty() ? std::optional(0) : number_up_to(db, db_max);
        if (!number) return refused("behind the / of a Redis URL stands the database's number");
        address.db = *number;
        url = url.substr(0, slash);
    }
    const bool bracketed = url.starts_with('[');
    const std::size_t host_end = bracketed ? url.find(']') : std::min(url.find(':'), url.size());
    if (host_end == std::string_view::npos) return refused("the Redis URL has a [ without a ]");
    address.host = url.substr(bracketed ? 1 : 0, host_end - (bracketed ? 1 : 0));
    url.remove_prefix(host_end + (bracketed ? 1 : 0));
    if (address.host.empty()) return refused("the Redis URL names no host");
    if (url.empty()) return address;
    const auto port = number_up_to(url.substr(1), port_max);
    if (url.front() != ':' || !port || *port == 0)
        return refused("the port of the Redis URL must be a number from 1 to 65535");
    address.port = *port;
    return address;
}

}  // namespace runnel::policy
