#include "agent/url.hpp"

#include "base/ascii.hpp"
#include "base/percent_encoding.hpp"
#include "http/headers.hpp"
#include "http/origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace runnel::agent {
namespace {

// What is legal stays, escapes included; the rest is encoded.
std::string tidied(std::string_view target) {
    return percent_encoded(target, "%:/?[]@!$&'()*+,;=");
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::unexpected<Error> not_a_url(std::string_view why) {
    return fail(ErrorKind::invalid_value,
                fmt::format("this is not a URL that can be asked: {}", why));
}

// "https" of "HTTPS://…"; empty where the text has no scheme.
std::string_view scheme_of(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::size_t other = text.find_first_of("/?#");
    return colon == std::string_view::npos || other < colon ? std::string_view()
                                                            : text.substr(0, colon);
}

// RFC 3986, 5.2.4.
std::string without_dot_segments(std::string_view path) {
    std::vector<std::string_view> kept;
    bool ends_open = false;
    while (!path.empty()) {
        path.remove_prefix(1);  // the slash
        const std::string_view segment = path.substr(0, path.find('/'));
        path.remove_prefix(segment.size());
        ends_open = segment == "." || segment == "..";
        if (segment == ".." && !kept.empty()) kept.pop_back();
        if (!ends_open) kept.push_back(segment);
    }
    std::string out;
    for (const std::string_view segment : kept) out.append("/").append(segment);
    if (ends_open || out.empty()) out += '/';
    return out;
}

}  // namespace

Result<Url> read_url(std::string_view text) {
    text = trimmed(text);
    const std::string_view scheme = scheme_of(text);
    const bool plain = ascii::equal_ignoring_case(scheme, "http");
    if (!plain && !ascii::equal_ignoring_case(scheme, "https"))
        return not_a_url("it must begin with http:// or https://");
    if (text.substr(scheme.size() + 1, 2) != "//") return not_a_url("it has no host");
    text = text.substr(0, text.find('#'));
    const std::size_t host = scheme.size() + 3;
    const std::size_t target = std::min(text.find_first_of("/?", host), text.size());
    const std::string_view authority = text.substr(host, target - host);
    if (authority.contains('@')) return not_a_url("it has a user's name in front of the host");
    if (!std::ranges::all_of(authority, [](char c) {
            return ascii::is_alphanumeric(c) || std::string_view("-._:[]").contains(c);
        }))
        return not_a_url("its host has a character that a host cannot have (names in other "
                         "scripts are written as xn--…)");
    Url url{fmt::format("{}://{}", plain ? "http" : "https", authority),
            tidied(text.substr(target))};
    if (!url.target.starts_with('/')) url.target.insert(0, "/");
    if (const auto origin = http::read_origin(url.origin); !origin)
        return not_a_url(origin.error().message);
    return url;
}

Result<Url> resolve_url(const Url& base, std::string_view reference) {
    reference = trimmed(reference);
    if (!scheme_of(reference).empty()) return read_url(reference);
    if (reference.starts_with("//"))
        return read_url(fmt::format("{}:{}", scheme_of(base.origin), reference));
    reference = reference.substr(0, reference.find('#'));
    if (reference.empty()) return base;
    const std::string_view base_path =
        std::string_view(base.target).substr(0, base.target.find('?'));
    const std::size_t query = std::min(reference.find('?'), reference.size());
    std::string path(reference.substr(0, query));
    if (path.empty()) {
        path = base_path;
    } else if (!path.starts_with('/')) {
        path.insert(0, base_path.substr(0, base_path.rfind('/') + 1));
    }
    return Url{base.origin, tidied(without_dot_segments(path)) + tidied(reference.substr(query))};
}

}  // namespace runnel::agent
