#include "config/addresses.hpp"

#include "base/ascii.hpp"
#include "base/authority.hpp"
#include "provider/core/base_url.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace runnel::config {
namespace {

// A host, perhaps with a port. Of numbers and dots it must be an address: nobody looks such a name
// up, but some read 127.1 and 2130706433 as addresses.
std::optional<Authority> read_place(std::string_view text) {
    const auto place = read_authority(text);
    if (!place || place->kind != Authority::Kind::name) return place;
    const bool numeric =
        std::ranges::all_of(place->host, [](char c) { return ascii::is_digit(c) || c == '.'; });
    return numeric ? std::nullopt : place;
}

bool is_visible_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

std::string_view after_scheme(std::string_view url) { return url.substr(url.find("://") + 3); }

}  // namespace

bool is_listen_address(std::string_view text) {
    // For every interface: no URL has such hosts.
    if (text.starts_with("*:")) text.remove_prefix(1);
    const std::string written = (text.starts_with(':') ? "localhost" : "") + std::string(text);
    const auto place = read_authority(written);
    return place && place->port &&
           (place->kind != Authority::Kind::name || place->host == "localhost");
}

bool is_base_url(std::string_view text) {
    const auto url = provider::read_base_url(text);
    return url && is_visible_ascii(text) && read_place(after_scheme(url->origin));
}

bool is_web_url(std::string_view text) {
    return is_visible_ascii(text) && !text.contains('#') &&
           is_base_url(text.substr(0, text.find('?')));
}

bool is_proxy_url(std::string_view text) {
    constexpr std::string_view scheme = "http://";
    if (!text.starts_with(scheme) || !is_visible_ascii(text)) return false;
    text.remove_prefix(scheme.size());
    if (text.ends_with('/')) text.remove_suffix(1);
    if (const std::size_t at = text.rfind('@'); at != std::string_view::npos)
        text.remove_prefix(at + 1);
    return read_place(text).has_value();
}

bool is_cors_origin(std::string_view text) {
    if (text == "*" || text == "null") return true;
    const std::size_t scheme_end = text.find("://");
    if (scheme_end == std::string_view::npos || scheme_end == 0) return false;
    const bool scheme = std::ranges::all_of(text.substr(0, scheme_end), [](char c) {
        return ascii::is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
    });
    return scheme && read_place(after_scheme(text));
}

bool is_host_name(std::string_view text) {
    const auto place = read_place(text);
    return place && !place->port;
}

}  // namespace runnel::config
