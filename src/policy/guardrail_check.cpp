#include "policy/guardrail_check.hpp"

#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

namespace runnel::policy {
namespace {

namespace ondemand = json::ondemand;

// Names, either in a list or as those of an object's fields that are true.
void read_categories(ondemand::value value, CheckAnswer& answer) {
    std::string name;
    (void)json::for_each_element(value, [&](ondemand::value element) {
        if (json::plain_string(element, name)) answer.categories.push_back(name);
    });
    (void)json::for_each_field(value, [&](std::string_view key, ondemand::value flag) {
        if (json::is_true(flag)) answer.categories.emplace_back(key);
    });
}

struct Reading {
    CheckAnswer answer{};
    bool told = false;  // whether it is flagged
};

void read_fields(ondemand::object object, Reading& reading);

// OpenAI gives one result for each text; there is one.
void read_results(ondemand::value value, Reading& reading) {
    (void)json::for_each_element(value, [&](ondemand::value element) {
        ondemand::object result;
        if (!element.get_object().get(result)) read_fields(result, reading);
    });
}

void read_fields(ondemand::object object, Reading& reading) {
    (void)json::for_each_field(object, [&](std::string_view name, ondemand::value value) {
        if (name == "flagged") {
            bool flagged = false;
            if (value.get_bool().get(flagged)) return;
            reading.told = true;
            reading.answer.flagged = reading.answer.flagged || flagged;
        } else if (name == "categories") {
            read_categories(value, reading.answer);
        } else if (name == "results") {
            read_results(value, reading);
        }
    });
}

}  // namespace

std::string write_check(std::string_view text) {
    std::string body;
    json::Writer(body).begin_object().key("input").string(text).end_object();
    return body;
}

Result<CheckAnswer> read_check(std::string_view body) {
    std::string padded(body);
    json::Parser parser;
    ondemand::document document;
    ondemand::object object;
    Reading reading;
    if (json::is_whole(body) && !parser.parse(Padded::of(padded), document) &&
        !document.get_object().get(object))
        read_fields(object, reading);
    if (!reading.told)
        return fail(ErrorKind::upstream_malformed, "the answer does not say \"flagged\"");
    return std::move(reading.answer);
}

Error check_failed(const GuardrailRule& rule, std::string_view why) {
    return {ErrorKind::guardrail_blocked,
            fmt::format("the guardrail '{}' could not look at this, so it goes no further; try "
                        "again",
                        rule.name),
            {},
            fmt::format("guardrail '{}': {}", rule.name, why)};
}

}  // namespace runnel::policy
