#include "config/addresses.hpp"

#include "base/ascii.hpp"
#include "provider/base_url.hpp"

#include <algorithm>
#include <charconv>

namespace runnel::config {
namespace {

bool is_hex(char c) {
    return ascii::is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_number_up_to(std::string_view text, unsigned most) {
    unsigned number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && rest == end && number <= most;
}

bool is_port(std::string_view text) { return is_number_up_to(text, 65535); }

bool is_ipv4(std::string_view text) {
    for (int part = 0; part < 4; ++part) {
        const std::size_t dot = std::min(text.find('.'), text.size());
        if (!is_number_up_to(text.substr(0, dot), 255)) return false;
        if (part == 3) return dot == text.size();
        text.remove_prefix(std::min(dot + 1, text.size()));
    }
    return false;
}

bool is_bracketed_ipv6(std::string_view text) {
    if (text.size() < 4 || text.front() != '[' || text.back() != ']') return false;
    text = text.substr(1, text.size() - 2);
    return std::ranges::count(text, ':') >= 2 &&
           std::ranges::all_of(text, [](char c) { return is_hex(c) || c == ':' || c == '.'; });
}

bool is_host(std::string_view text) {
    if (is_bracketed_ipv6(text)) return true;
    const bool numeric =
        std::ranges::all_of(text, [](char c) { return ascii::is_digit(c) || c == '.'; });
    if (numeric) return is_ipv4(text);
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return ascii::is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
    });
}

struct Authority {
    std::string_view host;
    std::string_view colon_and_port;  // may be empty
};

Authority split(std::string_view text) {
    const std::size_t bracket = text.rfind(']');
    const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
    const std::size_t host_end = std::min(colon, text.size());
    return {text.substr(0, host_end), text.substr(host_end)};
}

bool is_authority(std::string_view text) {
    const auto [host, port] = split(text);
    return is_host(host) && (port.empty() || is_port(port.substr(1)));
}

bool is_visible_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

std::string_view after_scheme(std::string_view url) { return url.substr(url.find("://") + 3); }

}  // namespace

bool is_listen_address(std::string_view text) {
    const auto [host, port] = split(text);
    const bool everywhere = host.empty() || host == "*";
    const bool known =
        everywhere || host == "localhost" || is_ipv4(host) || is_bracketed_ipv6(host);
    return known && port.starts_with(':') && is_port(port.substr(1));
}

bool is_base_url(std::string_view text) {
    const auto url = provider::read_base_url(text);
    return url && is_visible_ascii(text) && is_authority(after_scheme(url->origin));
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
    return is_authority(text);
}

bool is_cors_origin(std::string_view text) {
    if (text == "*" || text == "null") return true;
    const std::size_t scheme_end = text.find("://");
    if (scheme_end == std::string_view::npos || scheme_end == 0) return false;
    const bool scheme = std::ranges::all_of(text.substr(0, scheme_end), [](char c) {
        return ascii::is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
    });
    return scheme && is_authority(after_scheme(text));
}

bool is_host_name(std::string_view text) { return is_host(text); }

}  // namespace runnel::config
