#include "server/url.hpp"

#include "base/is_in.hpp"
#include "base/nearest.hpp"
#include "base/percent_encoding.hpp"
#include "base/utc_time.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ranges>

namespace runnel::server {
namespace {

template <class T>
bool read_whole(std::string_view text, T& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
}

constexpr std::string_view version = "/v1";

// What comes before the version at other servers, and in clients that are made for them.
constexpr std::string_view prefixes[] = {"/api", "/openai", "/anthropic"};

constexpr std::string_view deployments = "/openai/deployments/";

// What is asked for without a version too, and what is under it.
constexpr std::string_view versionless[] = {"/chat/completions", "/completions",   "/messages",
                                            "/responses",        "/conversations", "/models",
                                            "/embeddings"};

bool is_at_or_under(std::string_view path, std::string_view parent) {
    return path.starts_with(parent) && (path.size() == parent.size() || path[parent.size()] == '/');
}

std::string with_single_slashes(std::string_view path) {
    std::string out;
    out.reserve(path.size() + version.size());
    for (const char c : path)
        if (c != '/' || !out.ends_with('/')) out += c;
    if (out.size() > 1 && out.ends_with('/')) out.pop_back();
    return out;
}

bool has_no_version(std::string_view path) {
    return std::ranges::any_of(versionless, [&](auto name) { return is_at_or_under(path, name); });
}

// Where the name of a deployment ends; 0: there is none, or nothing after it.
std::size_t deployment_end(std::string_view path) {
    if (!path.starts_with(deployments)) return 0;
    const std::size_t end = path.find('/', deployments.size());
    return end == std::string_view::npos ? 0 : end;
}

}  // namespace

std::string plain_path(std::string_view path) {
    std::string plain = with_single_slashes(path);
    if (const std::size_t end = deployment_end(plain)) return plain.replace(0, end, version);
    for (const std::string_view prefix : prefixes)
        if (plain.starts_with(prefix) &&
            is_at_or_under(std::string_view(plain).substr(prefix.size()), version))
            return plain.erase(0, prefix.size());
    if (has_no_version(plain)) plain.insert(0, version);
    return plain;
}

bool lacks_version(std::string_view path) { return has_no_version(with_single_slashes(path)); }

std::string deployment_in(std::string_view path) {
    const std::string plain = with_single_slashes(path);
    const std::size_t end = deployment_end(plain);
    if (end == 0) return {};
    return percent_decoded(
        std::string_view(plain).substr(deployments.size(), end - deployments.size()));
}

// By hand: Boost.URL refuses a query with a % that begins nothing, and clients write such ones.
std::vector<std::pair<std::string, std::string>> query_fields(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> fields;
    for (const auto part : std::views::split(query, '&')) {
        const std::string_view field(part.begin(), part.end());
        if (field.empty()) continue;
        const std::size_t equals = std::min(field.find('='), field.size());
        std::string value(field.substr(std::min(equals + 1, field.size())));
        std::ranges::replace(value, '+', ' ');  // as forms write it
        fields.emplace_back(percent_decoded(field.substr(0, equals)), percent_decoded(value));
    }
    return fields;
}

bool has_flag(std::string_view query, std::string_view name) {
    for (const auto part : std::views::split(query, '&')) {
        const std::string_view field(part.begin(), part.end());
        if (field.substr(0, field.find('=')) == name) return true;
    }
    return false;
}

Result<Query> Query::read(std::string_view text, std::span<const std::string_view> names) {
    Query query;
    query.values_ = query_fields(text);
    for (const auto& [name, value] : query.values_)
        if (!is_in(name, names))
            return fail_at(ErrorKind::invalid_value, name,
                           fmt::format("there is no parameter '{}' here; there are: {}{}", name,
                                       fmt::join(names, ", "), did_you_mean(name, names)));
    return query;
}

std::string_view Query::text(std::string_view name) const {
    const auto found =
        std::ranges::find(values_, name, &std::pair<std::string, std::string>::first);
    return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

bool Query::has(std::string_view name) const {
    return std::ranges::any_of(values_, [&](const auto& value) { return value.first == name; });
}

Result<std::int64_t> Query::number(std::string_view name, std::int64_t otherwise, std::int64_t min,
                                   std::int64_t max) const {
    if (!has(name)) return otherwise;
    std::int64_t value = 0;
    if (read_whole(text(name), value) && value >= min && value <= max) return value;
    return fail_at(
        ErrorKind::invalid_value, std::string(name),
        fmt::format("{} is a whole number from {} to {}, not '{}'", name, min, max, text(name)));
}

Result<std::optional<access::UtcTime>> Query::time(std::string_view name) const {
    if (!has(name)) return std::optional<access::UtcTime>();
    std::int64_t seconds = 0;
    if (read_whole(text(name), seconds) && seconds >= 0 && seconds < 100'000'000'000)
        return std::optional(access::UtcTime(std::chrono::seconds(seconds)));
    // A '+' of a time zone may have come as a space.
    std::string written(text(name));
    std::ranges::replace(written, ' ', '+');
    if (const auto time = read_utc_time(written)) return std::optional(*time);
    return fail_at(ErrorKind::invalid_value, std::string(name),
                   fmt::format("{} is a time such as 2026-11-15T10:00:00Z or a Unix time in "
                               "seconds, not '{}'",
                               name, text(name)));
}

}  // namespace runnel::server
