#include "access/key_form_values.hpp"

#include "access/scope.hpp"
#include "base/address_range.hpp"
#include "base/ascii.hpp"
#include "base/utc_time.hpp"
#include "base/web_origin.hpp"

namespace runnel::access {
namespace {

using json::FormValue;

constexpr std::size_t name_bytes_max = 128;
constexpr std::size_t list_size_max = 1000;
constexpr std::size_t metadata_bytes_max = 16 * 1024;
constexpr std::int64_t limit_max = 1'000'000'000'000;
constexpr double budget_usd_max = 1e9;
constexpr std::int64_t year_9999 = 253'402'300'799;  // in seconds

constexpr std::string_view periods[] = {"total", "day", "week", "month"};  // in the order of Period

}  // namespace

Result<void> read_texts(const FormValue& value, std::vector<std::string>& into,
                        const CheckText& check) {
    std::vector<std::string> texts;
    if (!value.is_null()) {
        auto elements = value.elements();
        if (!elements) return propagate(elements);
        if (elements->size() > list_size_max)
            return value.wrong(fmt::format("has more than {} entries", list_size_max));
        for (const FormValue& element : *elements) {
            auto text = element.text(name_bytes_max);
            if (!text) return propagate(text);
            if (Result<void> checked = check(element, *text); !checked) return checked;
            texts.push_back(std::move(*text));
        }
    }
    into = std::move(texts);
    return {};
}

Result<void> read_text(const FormValue& value, std::string& into) {
    auto text = value.is_null() ? Result<std::string>() : value.text(name_bytes_max);
    if (!text) return propagate(text);
    into = std::move(*text);
    return {};
}

Result<void> check_scope(const FormValue& value, std::string& scope) {
    if (scope == every_scope || std::ranges::find(scope_names, scope) != scope_names.end())
        return {};
    return value.wrong(fmt::format("must be one of {} or {}, not '{}'{}",
                                   fmt::join(scope_names, ", "), every_scope, scope,
                                   did_you_mean(scope, scope_names)));
}

Result<void> check_model(const FormValue& value, std::string& model) {
    if (!model.empty() && model.find('*') >= model.size() - 1) return {};
    return value.must_be("a model's name, which may end in * and has none elsewhere");
}

Result<void> check_tool(const FormValue& value, std::string& tool) {
    if (!tool.empty()) return {};
    return value.must_be("the name of a tool, as the config has it under tools");
}

Result<void> check_origin(const FormValue& value, std::string& origin) {
    const std::size_t colon = origin.find("://");
    const std::string_view host = colon == std::string::npos
                                      ? std::string_view()
                                      : std::string_view(origin).substr(colon + 3);
    if (colon != 0 && !host.empty() && host.find_first_of("/?#@* ,") == std::string_view::npos) {
        origin = web_origin(origin);
        return {};
    }
    return value.must_be("an origin such as https://app.example.com, without a path");
}

Result<void> check_address(const FormValue& value, std::string& address) {
    if (read_address_range(address)) return {};
    return value.must_be("an IP address or a range such as 10.0.0.0/8 or 2001:db8::/32");
}

Result<void> read_limits(const FormValue& value, RateLimits& limits) {
    static constexpr std::pair<std::string_view, std::optional<std::int64_t> RateLimits::*>
        members[] = {{"rpm", &RateLimits::rpm},
                     {"rpd", &RateLimits::rpd},
                     {"tpm", &RateLimits::tpm},
                     {"tpd", &RateLimits::tpd},
                     {"concurrency", &RateLimits::concurrency}};
    if (value.is_null()) {
        limits = {};
        return {};
    }
    auto fields = value.fields();
    if (!fields) return propagate(fields);
    for (const auto& [name, field] : *fields) {
        const auto member = std::ranges::find(members, name, [](auto& one) { return one.first; });
        if (member == std::ranges::end(members))
            return field.wrong("is not known; limits are rpm, rpd, tpm, tpd and concurrency");
        auto& limit = limits.*member->second;
        if (field.is_null()) {
            limit.reset();
            continue;
        }
        auto number = field.whole_number(0, limit_max);
        if (!number) return propagate(number);
        limit = *number;
    }
    return {};
}

Result<void> read_model_limits(const FormValue& value,
                               std::vector<std::pair<std::string, RateLimits>>& into) {
    if (value.is_null()) {
        into.clear();
        return {};
    }
    auto fields = value.fields();
    if (!fields) return propagate(fields);
    for (auto& [model, field] : *fields) {
        if (model.empty() || model.contains('*'))
            return field.wrong("must be under a model's whole name");
        auto known = std::ranges::find(into, model, &std::pair<std::string, RateLimits>::first);
        if (field.is_null()) {
            if (known != into.end()) into.erase(known);
            continue;
        }
        if (into.size() >= list_size_max)
            return value.wrong(fmt::format("has more than {} entries", list_size_max));
        if (known == into.end()) known = into.insert(known, {model, RateLimits{}});
        if (auto read = read_limits(field, known->second); !read) return read;
    }
    return {};
}

Result<void> read_budget(const FormValue& value, std::optional<Budget>& into) {
    if (value.is_null()) {
        into.reset();
        return {};
    }
    auto fields = value.fields();
    if (!fields) return propagate(fields);
    std::optional<Budget> budget = into;
    for (const auto& [name, field] : *fields) {
        if (name == "usd") {
            auto usd = field.number(0, budget_usd_max);
            if (!usd) return propagate(usd);
            if (!budget) budget.emplace();
            budget->limit = Money::from_usd(*usd);
        } else if (name != "period") {
            return field.wrong("is not known; a budget has usd and period");
        }
    }
    if (!budget) return value.wrong(R"(needs usd, such as {"usd": 10, "period": "month"})");
    for (const auto& [name, field] : *fields)
        if (name == "period")
            if (auto read = read_one_of(field, periods, budget->period); !read) return read;
    into = budget;
    return {};
}

Result<void> read_expiry(const FormValue& value, std::optional<UtcTime>& into, UtcTime now) {
    if (value.is_null()) {
        into.reset();
        return {};
    }
    constexpr std::string_view wanted = "a time such as 2027-01-31T12:00:00Z, or in seconds since "
                                        "1970";
    std::optional<UtcTime> time;
    if (value.is_string()) {
        auto text = value.text(name_bytes_max);
        if (!text) return propagate(text);
        time = read_utc_time(*text);
    } else if (const auto seconds = value.whole_number(0, year_9999)) {
        time = UtcTime(std::chrono::seconds(*seconds));
    }
    if (!time) return value.must_be(wanted);
    if (*time <= now) return value.wrong("is over already; a key ends in the future");
    into = time;
    return {};
}

Result<void> read_metadata(const FormValue& value, std::string& into) {
    into.clear();
    if (value.is_null()) return {};
    auto fields = value.fields();
    if (!fields) return propagate(fields);
    std::string metadata = fields->empty() ? "" : value.json();
    if (metadata.size() > metadata_bytes_max)
        return value.wrong(fmt::format("is longer than {} bytes", metadata_bytes_max));
    into = std::move(metadata);
    return {};
}

}  // namespace runnel::access
