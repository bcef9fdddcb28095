#include "server/log_query.hpp"

#include "base/nearest.hpp"
#include "server/url.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace runnel::server {
namespace {

using access::UtcTime;
using std::chrono::days;
using storage::GroupBy;

constexpr std::array<std::string_view, 12> log_names{"after", "limit",  "model", "key",
                                                     "team",  "status", "error", "provider",
                                                     "from",  "to",     "id",    "count"};
constexpr std::array<std::string_view, 5> usage_names{"from", "to", "group_by", "key", "team"};

constexpr std::int64_t page_max = 100;
constexpr std::int64_t page_usual = 20;

struct Group {
    std::string_view name;
    GroupBy by;
};
constexpr std::array<Group, 6> groups{{{"key", GroupBy::key},
                                       {"team", GroupBy::team},
                                       {"model", GroupBy::model},
                                       {"provider", GroupBy::provider},
                                       {"day", GroupBy::day},
                                       {"hour", GroupBy::hour}}};

// "429", or "5xx" for all from 500 to 599.
Result<std::pair<int, int>> read_status(std::string_view text) {
    if (text.size() == 3 && text[0] >= '1' && text[0] <= '9') {
        const int hundreds = (text[0] - '0') * 100;
        if (text.substr(1) == "xx") return std::pair(hundreds, hundreds + 99);
        int status = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + 3, status);
        if (error == std::errc() && end == text.data() + 3) return std::pair(status, status);
    }
    return fail_at(
        ErrorKind::invalid_value, "status",
        fmt::format("status is one such as 429, or 5xx for all of them, not '{}'", text));
}

Result<void> read_times(const Query& query, std::optional<UtcTime>* from,
                        std::optional<UtcTime>* to) {
    auto begin = query.time("from");
    if (!begin) return propagate(begin);
    auto end = query.time("to");
    if (!end) return propagate(end);
    if (*begin && *end && **begin >= **end)
        return fail_at(ErrorKind::invalid_value, "to", "to must be after from");
    *from = *begin;
    *to = *end;
    return {};
}

// What somebody may ask of others' requests is the admin's alone.
Result<std::optional<std::string>> whose(const Query& query, const access::Caller& caller) {
    const auto own = seen_by(caller);
    const std::string asked(query.text("key"));
    if (!query.has("key")) return own;
    if (!own || *own == asked) return std::optional(asked);
    return fail_at(ErrorKind::insufficient_scope, "key",
                   "only the admin may look at what was asked with another key");
}

}  // namespace

std::optional<std::string> seen_by(const access::Caller& caller) {
    if (caller.kind == access::Caller::Kind::admin) return std::nullopt;
    return caller.key ? caller.key->id : std::string();
}

Result<LogQuery> read_log_query(std::string_view text, const access::Caller& caller) {
    auto query = Query::read(text, log_names);
    if (!query) return propagate(query);
    LogQuery asked;
    auto key = whose(*query, caller);
    if (!key) return propagate(key);
    asked.filter.key_id = *key;
    asked.filter.team = query->text("team");
    asked.filter.model = query->text("model");
    asked.filter.provider = query->text("provider");
    asked.filter.error = query->text("error");
    asked.filter.id_prefix = query->text("id");
    if (query->has("status")) {
        auto status = read_status(query->text("status"));
        if (!status) return propagate(status);
        asked.filter.status = *status;
    }
    if (auto read = read_times(*query, &asked.filter.from, &asked.filter.to); !read)
        return propagate(read);
    asked.after = query->text("after");
    auto limit = query->number("limit", page_usual, 1, page_max);
    if (!limit) return propagate(limit);
    asked.limit = static_cast<std::size_t>(*limit);
    asked.counted = query->has("count") && query->text("count") != "false";
    return asked;
}

Result<storage::UsageQuery> read_usage_query(std::string_view text, const access::Caller& caller) {
    auto query = Query::read(text, usage_names);
    if (!query) return propagate(query);
    std::optional<UtcTime> from;
    std::optional<UtcTime> to;
    if (auto read = read_times(*query, &from, &to); !read) return propagate(read);
    const auto now = std::chrono::ceil<std::chrono::seconds>(std::chrono::system_clock::now());
    storage::UsageQuery asked;
    asked.to = to.value_or(now);
    asked.from = from.value_or(std::chrono::floor<days>(asked.to) - days(30));
    auto key = whose(*query, caller);
    if (!key) return propagate(key);
    asked.key_id = *key;
    asked.team = query->text("team");
    if (!query->has("group_by")) return asked;
    const auto group = std::ranges::find(groups, query->text("group_by"), &Group::name);
    if (group == groups.end()) {
        std::vector<std::string_view> names;
        for (const Group& known : groups) names.push_back(known.name);
        return fail_at(ErrorKind::invalid_value, "group_by",
                       fmt::format("group_by is one of {}, not '{}'{}", fmt::join(names, ", "),
                                   query->text("group_by"),
                                   did_you_mean(query->text("group_by"), names)));
    }
    asked.group_by = group->by;
    return asked;
}

}  // namespace runnel::server
