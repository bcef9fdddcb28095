#include "config/sections/guardrail.hpp"

#include "base/nearest.hpp"
#include "config/addresses.hpp"
#include "config/names.hpp"
#include "config/sections/sections.hpp"
#include "config/text_file.hpp"
#include "guardrail/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using guardrail::GuardrailRule;

// The keys that are always there, and one for each detector or check.
template <class Kinds>
std::vector<std::string_view> keys_with(const Kinds& kinds,
                                        std::initializer_list<std::string_view> others) {
    std::vector<std::string_view> keys(others);
    for (const auto* kind : kinds) keys.push_back(kind->key());
    return keys;
}

constexpr std::string_view kinds[] = {"pii", "content_moderation", "custom"};
constexpr std::string_view actions[] = {"block", "redact", "decline", "log"};
constexpr std::string_view occasions[] = {"always", "asked"};
constexpr std::string_view places[] = {"input", "output", "reasoning", "tool_arguments"};

std::optional<GuardrailRule::Kind> read_kind(const Value& value) {
    const auto name = value.one_of(kinds);
    return name ? guardrail::guardrail_kind_named(*name) : std::nullopt;
}

std::optional<GuardrailRule::Action> read_action(const Value& value) {
    const auto name = value.one_of(actions);
    return name ? guardrail::guardrail_action_named(*name) : std::nullopt;
}

std::optional<GuardrailRule::When> read_when(const Value& value) {
    const auto name = value.one_of(occasions);
    if (!name) return std::nullopt;
    return *name == "asked" ? GuardrailRule::When::asked : GuardrailRule::When::always;
}

std::optional<std::int64_t> read_hold(const Value& value) {
    return value.whole_number(1, limits::guardrail_hold_characters_max);
}

// A name must not stand for a kind that the rule is not of.
void read_name(const Section& section, const Value& whole, GuardrailRule& rule) {
    const Value* value = section.find("name");
    if (!value) return whole.complain("name is missing: what requests and logs call it");
    auto name = value->text_that(is_provider_name, "letters, digits, '.', '_' and '-'");
    if (!name) return;
    const auto kind = guardrail::guardrail_kind_named(*name);
    if (kind && *kind != rule.kind)
        return value->complain(fmt::format(
            "'{}' is a kind of guardrails that this one is not; call it otherwise", *name));
    rule.name = std::move(*name);
}

void read_places(const Section& section, GuardrailRule& rule) {
    const Value* value = section.find("on");
    if (!value) return;
    rule.on_input = rule.on_output = rule.on_reasoning = rule.on_tool_arguments = false;
    const auto items = value->list();
    if (items.empty() && value->node().kind == Node::Kind::list)
        value->complain(fmt::format("it must look at something: {}", fmt::join(places, ", ")));
    for (const Value& item : items) {
        const auto place = item.one_of(places);
        if (!place) continue;
        rule.on_input = rule.on_input || *place == "input";
        rule.on_output = rule.on_output || *place == "output";
        rule.on_reasoning = rule.on_reasoning || *place == "reasoning";
        rule.on_tool_arguments = rule.on_tool_arguments || *place == "tool_arguments";
    }
}

// Of a stream that waits for a pattern; 0: none does.
std::size_t held_characters(const GuardrailRule& rule) {
    const bool streams = rule.on_output || rule.on_reasoning;
    return streams && rule.action != GuardrailRule::Action::log ? rule.hold_characters : 0;
}

// What one detector is to find.
std::vector<std::string> read_items(const Value& value, const guardrail::Detector& detector,
                                    const GuardrailRule& rule) {
    std::vector<std::string> items;
    for (const Value& entry : value.list()) {
        auto item = detector.choices().empty() ? entry.text() : entry.one_of(detector.choices());
        if (!item) continue;
        if (const auto checked = detector.check(*item, held_characters(rule)); !checked)
            entry.complain(checked.error());
        else
            items.push_back(std::move(*item));
    }
    return items;
}

// More of them, one on each line of a file.
void read_words_file(const Value& value, GuardrailRule& rule) {
    const auto path = value.some_text();
    if (!path) return;
    const auto text = read_text_file(*path, limits::guardrail_words_file_bytes);
    if (!text) return value.complain(text.error());
    const guardrail::Detector& detector = guardrail::words_detector();
    std::vector<std::string>& words = rule.detect[std::string(detector.key())];
    int line_number = 0;
    for (const std::string_view line : lines_of(*text)) {
        ++line_number;
        if (line.empty() || line.starts_with('#')) continue;
        if (const auto checked = detector.check(line, held_characters(rule)); !checked)
            return value.complain(
                fmt::format("line {} of that file: {}", line_number, checked.error()));
        words.emplace_back(line);
    }
    if (words.empty()) value.complain("there is not a word in that file");
}

void read_detectors(const Section& section, GuardrailRule& rule) {
    for (const guardrail::Detector* detector : guardrail::detectors()) {
        const Value* value = section.find(detector->key());
        if (!value) continue;
        auto items = read_items(*value, *detector, rule);
        if (!items.empty()) rule.detect.emplace(detector->key(), std::move(items));
    }
    if (const Value* file = section.find("words_file")) read_words_file(*file, rule);
    const guardrail::Detector& pii = guardrail::pii_detector();
    const Value* listed = section.find(pii.key());
    if (rule.kind == GuardrailRule::Kind::pii) {
        if (!listed)
            rule.detect[std::string(pii.key())].assign(pii.choices().begin(), pii.choices().end());
    } else if (listed) {
        listed->complain("only a guardrail of kind: pii looks for personal data");
    }
}

// Whom it asks: a URL or a name, under the key that the check has.
void read_address(const Value& value, const Section& section, GuardrailRule::Check& read) {
    std::vector<std::string_view> missing;
    for (const guardrail::Check* kind : guardrail::checks()) {
        const Value* address = section.find(kind->key());
        if (!address) {
            missing.push_back(kind->key());
            continue;
        }
        if (!read.address.empty()) address->complain("a check asks one, not several");
        auto text = kind->address() == guardrail::Check::Address::url
                        ? address->text_that(is_web_url, "a URL such as https://example.com/check")
                        : address->some_text();
        if (!text) continue;
        read.address = std::move(*text);
        read.key = kind->key();
    }
    if (missing.size() == guardrail::checks().size())
        value.complain(
            fmt::format("{} is missing: who is to be asked", fmt::join(missing, " or ")));
}

void read_check(const Section& section, GuardrailRule& rule) {
    const Value* value = section.find("check");
    if (!value) return;
    if (rule.action == GuardrailRule::Action::redact)
        value->complain("a check says whether there is something, not where: it can't redact; use "
                        "another action");
    const auto check = value->section(keys_with(guardrail::checks(), {"timeout", "headers"}));
    if (!check) return;
    GuardrailRule::Check read;
    const auto timeout = [](const Value& time) { return time.duration(10ms, 1min); };
    read_address(*value, *check, read);
    check->read("timeout", timeout, read.timeout);
    if (const Value* headers = check->find("headers"))
        for (auto& [name, text] : read_headers(*headers))
            read.headers.emplace_back(name, std::move(text));
    rule.check = std::move(read);
}

std::optional<GuardrailRule> read_rule(const Value& value) {
    const std::size_t problems = value.problem_count();
    const auto section = value.section(
        keys_with(guardrail::detectors(), {"name", "kind", "words_file", "check", "action", "when",
                                           "on", "hold_characters"}));
    if (!section) return std::nullopt;
    GuardrailRule rule;
    if (section->find("pii")) rule.kind = GuardrailRule::Kind::pii;
    section->read("kind", read_kind, rule.kind);
    section->read("action", read_action, rule.action);
    section->read("when", read_when, rule.when);
    section->read("hold_characters", read_hold, rule.hold_characters);
    read_name(*section, value, rule);
    read_places(*section, rule);
    read_detectors(*section, rule);
    read_check(*section, rule);
    if (value.problem_count() > problems) return std::nullopt;
    if (rule.detect.empty() && !rule.check) {
        value.complain("it looks for nothing; give it patterns, words, words_file or a check, or "
                       "make it kind: pii");
        return std::nullopt;
    }
    return rule;
}

// A rule's name where it stands, whatever else is wrong with it.
const Node* name_node(const Node& rule) {
    for (std::size_t i = 0; i + 1 < rule.children.size() && rule.kind == Node::Kind::map; i += 2)
        if (rule.children[i].text == "name") return &rule.children[i + 1];
    return nullptr;
}

}  // namespace

std::vector<GuardrailRule> read_guardrails(const Value& value) {
    std::vector<GuardrailRule> rules;
    const auto items = value.list();
    if (items.size() > limits::guardrail_rules)
        value.complain(fmt::format("{} guardrails are possible, not {}", limits::guardrail_rules,
                                   items.size()));
    for (const Value& item : items) {
        auto rule = read_rule(item);
        if (!rule) continue;
        if (std::ranges::find(rules, rule->name, &GuardrailRule::name) != rules.end())
            item.complain(fmt::format("there is a guardrail '{}' already", rule->name));
        rules.push_back(std::move(*rule));
    }
    return rules;
}

KnownGuardrails::KnownGuardrails(const Value* written) : names_{"pii"} {
    if (!written) return;
    for (const Node& rule : written->node().children) {
        if (const Node* name = name_node(rule)) names_.push_back(name->text);
        for (std::size_t i = 0; i + 1 < rule.children.size() && rule.kind == Node::Kind::map;
             i += 2)
            if (rule.children[i].text == "kind") names_.push_back(rule.children[i + 1].text);
    }
}

std::vector<std::string> KnownGuardrails::read_names(const Value& value) const {
    std::vector<std::string> names;
    const std::vector<std::string_view> known(names_.begin(), names_.end());
    for (const Value& item : value.list()) {
        auto name = item.text();
        if (!name) continue;
        if (std::ranges::find(known, *name) == known.end()) {
            item.complain(
                fmt::format("'{}' is neither a guardrail of this file nor a kind of one{}",
                            item.node().text, did_you_mean(item.node().text, known)));
        } else {
            names.push_back(std::move(*name));
        }
    }
    return names;
}

}  // namespace runnel::config
