#include "guardrail/registry.hpp"
#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace runnel::guardrail {
namespace {

namespace ondemand = json::ondemand;

// Names, either in a list or as those of an object's fields that are true.
void read_categories(ondemand::value value, Verdict& answer) {
    std::string name;
    (void)json::for_each_element(value, [&](ondemand::value element) {
        if (json::plain_string(element, name)) answer.categories.push_back(name);
    });
    (void)json::for_each_field(value, [&](std::string_view key, ondemand::value flag) {
        if (json::is_true(flag)) answer.categories.emplace_back(key);
    });
}

struct Reading {
    Verdict answer{};
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

// OpenAI's moderation request; and what is told of the text: {"flagged": true, "categories":
// ["hate"]}, or OpenAI's answer.
class ModerationCheck final : public Check {
public:
    std::string_view key() const override { return "url"; }

    Call call(const std::string& address, std::string_view text) const override {
        Call call{.url = address, .body = {}};
        json::Writer(call.body).begin_object().key("input").string(text).end_object();
        return call;
    }

    Result<Verdict> read(std::string_view body) const override {
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
};

}  // namespace

const Check& moderation_check() {
    static const ModerationCheck check;
    return check;
}

}  // namespace runnel::guardrail
