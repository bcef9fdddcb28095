#include "storage/keys/key_json.hpp"

#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "storage/sql/sql_time.hpp"

#include <utility>
#include <vector>

namespace runnel::storage {
namespace {

using access::Budget;
using access::Key;
using access::RateLimits;

struct NamedLimit {
    std::string_view name;
    std::optional<std::int64_t> RateLimits::* member;
};
constexpr NamedLimit named_limits[] = {
    {"rpm", &RateLimits::rpm},
    {"rpd", &RateLimits::rpd},
    {"tpm", &RateLimits::tpm},
    {"tpd", &RateLimits::tpd},
    {"concurrency", &RateLimits::concurrency},
};

struct NamedList {
    std::string_view name;
    std::vector<std::string> Key::* member;
};
constexpr NamedList named_lists[] = {
    {"scopes", &Key::scopes},       {"models", &Key::models},         {"origins", &Key::origins},
    {"addresses", &Key::addresses}, {"guardrails", &Key::guardrails},
};

constexpr std::pair<std::string_view, Budget::Period> named_periods[] = {
    {"total", Budget::Period::total},
    {"day", Budget::Period::day},
    {"week", Budget::Period::week},
    {"month", Budget::Period::month},
};

void write_limits(json::Writer& writer, const RateLimits& limits) {
    writer.begin_object();
    for (const auto& [name, member] : named_limits)
        if (limits.*member) writer.key(name).number(*(limits.*member));
    writer.end_object();
}

void write_budget(json::Writer& writer, const Budget& budget) {
    writer.key("budget").begin_object();
    writer.key("limit_nano_usd").number(budget.limit.nano_usd);
    for (const auto& [name, period] : named_periods)
        if (period == budget.period) writer.key("period").string(name);
    writer.end_object();
}

RateLimits limits_of(json::ondemand::value value) {
    RateLimits limits;
    (void)json::for_each_field(value, [&](std::string_view name, json::ondemand::value number) {
        for (const auto& [known, member] : named_limits) {
            std::int64_t count = 0;
            if (name == known && json::integer(number, count)) limits.*member = count;
        }
    });
    return limits;
}

Budget budget_of(json::ondemand::value value) {
    Budget budget;
    (void)json::for_each_field(value, [&](std::string_view name, json::ondemand::value part) {
        std::string_view word;
        if (name == "limit_nano_usd") {
            (void)json::integer(part, budget.limit.nano_usd);
        } else if (name == "period" && json::escaped_string(part, word)) {
            for (const auto& [known, period] : named_periods)
                if (word == known) budget.period = period;
        }
    });
    return budget;
}

std::pair<std::string, RateLimits> model_limits_of(json::ondemand::value value) {
    std::pair<std::string, RateLimits> limits;
    (void)json::for_each_field(value, [&](std::string_view name, json::ondemand::value part) {
        if (name == "model") (void)json::plain_string(part, limits.first);
        if (name == "limits") limits.second = limits_of(part);
    });
    return limits;
}

std::vector<std::string> texts_of(json::ondemand::value value) {
    std::vector<std::string> texts;
    (void)json::for_each_element(value, [&](json::ondemand::value element) {
        std::string text;
        if (json::plain_string(element, text)) texts.push_back(std::move(text));
    });
    return texts;
}

void write_texts(json::Writer& writer, std::string_view name,
                 const std::vector<std::string>& texts) {
    writer.key(name).begin_array();
    for (const std::string& text : texts) writer.string(text);
    writer.end_array();
}

void read_rule(std::string_view name, json::ondemand::value value, Key& key) {
    for (const auto& [known, member] : named_lists) {
        if (name != known) continue;
        key.*member = texts_of(value);
        return;
    }
    if (name == "tools") {
        key.tools = texts_of(value);
    } else if (name == "limits") {
        key.limits = limits_of(value);
    } else if (name == "model_limits") {
        (void)json::for_each_element(value, [&](json::ondemand::value element) {
            key.model_limits.push_back(model_limits_of(element));
        });
    } else if (name == "budget") {
        key.budget = budget_of(value);
    } else if (name == "keeps_content") {
        key.keeps_content = json::is_true(value);
    } else if (name == "may_cache") {
        key.may_cache = json::is_true(value);
    } else if (name == "old_hash") {
        (void)json::plain_string(value, key.old_hash);
    } else if (name == "old_hash_until") {
        std::int64_t ms = 0;
        if (json::integer(value, ms)) key.old_hash_until = time_of(ms);
    }
}

}  // namespace

std::string rules_json(const Key& key) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    for (const auto& [name, member] : named_lists) write_texts(writer, name, key.*member);
    if (key.tools) write_texts(writer, "tools", *key.tools);
    writer.key("limits");
    write_limits(writer, key.limits);
    writer.key("model_limits").begin_array();
    for (const auto& [model, limits] : key.model_limits) {
        writer.begin_object().key("model").string(model).key("limits");
        write_limits(writer, limits);
        writer.end_object();
    }
    writer.end_array();
    if (key.budget) write_budget(writer, *key.budget);
    writer.key("keeps_content").boolean(key.keeps_content);
    writer.key("may_cache").boolean(key.may_cache);
    if (key.old_hash_until)
        writer.key("old_hash")
            .string(key.old_hash)
            .key("old_hash_until")
            .number(ms_of(*key.old_hash_until));
    writer.end_object();
    return out;
}

Result<void> read_rules(std::string json, Key& key) {
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    if (parser.parse(Padded::of(json), document) || document.get_object().get(object) ||
        json::for_each_field(object, [&](std::string_view name, json::ondemand::value value) {
            read_rule(name, value, key);
        }))
        return fail(ErrorKind::internal_error,
                    "The rules of key " + key.id +
                        " in the store are not JSON: somebody changed them.");
    return {};
}

}  // namespace runnel::storage
