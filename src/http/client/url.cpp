#include "http/client/url.hpp"

#include "base/ascii.hpp"
#include "base/authority.hpp"
#include "base/percent_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace runnel::http {
namespace {

// What is legal stays, escapes included; the rest is encoded. Boost.URL takes legal URLs alone, and
// people and models write others.
std::string tidied(std::string_view target) {
    return percent_encoded(target, "%:/?[]@!$&'()*+,;=");
}

std::string_view without_blanks_around(std::string_view text) {
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

// RFC 3986, 5.2.4. By hand: Boost.URL 1.81 miscounts what url::resolve() leaves of a path with
// dots.
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
    text = without_blanks_around(text);
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
    if (!read_authority(authority))
        return not_a_url(fmt::format("'{}' is not host or host:port (names in other scripts are "
                                     "written as xn--…)",
                                     authority));
    Url url{fmt::format("{}://{}", plain ? "http" : "https", authority),
            tidied(text.substr(target))};
    if (!url.target.starts_with('/')) url.target.insert(0, "/");
    return url;
}

Result<Url> resolve_url(const Url& base, std::string_view reference) {
    reference = without_blanks_around(reference);
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

}  // namespace runnel::http
