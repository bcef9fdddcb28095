#include "config/read_guardrail.hpp"

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "config/addresses.hpp"
#include "config/names.hpp"
#include "config/read_headers.hpp"
#include "config/text_file.hpp"
#include "policy/guardrail_matcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using policy::GuardrailRule;

constexpr std::string_view keys_of_rule[] = {
    "name",  "kind",   "pii",  "patterns", "words",          "words_file",
    "check", "action", "when", "on",       "hold_characters"};
constexpr std::string_view keys_of_check[] = {"url", "timeout", "headers"};
constexpr std::string_view kinds[] = {"pii", "content_moderation", "custom"};
constexpr std::string_view actions[] = {"block", "redact", "decline", "log"};
constexpr std::string_view pii_kinds[] = {"email", "phone", "card", "iban", "secret"};
constexpr std::string_view occasions[] = {"always", "asked"};
constexpr std::string_view places[] = {"input", "output", "reasoning", "tool_arguments"};

constexpr std::size_t word_bytes = 200;

bool is_word(std::string_view text) {
    return !text.empty() && text.size() <= word_bytes && is_utf8(text) &&
           std::ranges::none_of(text, [](char c) { return c >= 0 && c < ' '; });
}
constexpr std::string_view a_word = "a word or a short text on one line";

std::optional<GuardrailRule::Kind> read_kind(const Value& value) {
    const auto name = value.one_of(kinds);
    return name ? policy::guardrail_kind_named(*name) : std::nullopt;
}

std::optional<GuardrailRule::Action> read_action(const Value& value) {
    const auto name = value.one_of(actions);
    return name ? policy::guardrail_action_named(*name) : std::nullopt;
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
    const auto kind = policy::guardrail_kind_named(*name);
    if (kind && *kind != rule.kind)
        return value->complain(fmt::format(
            "'{}' is a kind of guardrails that this one is not; call it otherwise", *name));
    rule.name = std::move(*name);
}

void read_pii(const Section& section, GuardrailRule& rule) {
    const Value* value = section.find("pii");
    if (!value) {
        if (rule.kind == GuardrailRule::Kind::pii)
            for (const std::string_view name : pii_kinds)
                rule.pii.push_back(*policy::pii_named(name));
        return;
    }
    for (const Value& item : value->list())
        if (const auto name = item.one_of(pii_kinds)) rule.pii.push_back(*policy::pii_named(*name));
    if (rule.kind != GuardrailRule::Kind::pii)
        value->complain("only a guardrail of kind: pii looks for personal data");
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

void read_patterns(const Section& section, GuardrailRule& rule) {
    const Value* value = section.find("patterns");
    if (!value) return;
    for (const Value& item : value->list()) {
        auto pattern = item.text();
        if (!pattern) continue;
        if (const auto checked = policy::check_pattern(*pattern, held_characters(rule)); !checked)
            item.complain(checked.error());
        else
            rule.patterns.push_back(std::move(*pattern));
    }
}

void read_words_file(const Value& value, GuardrailRule& rule) {
    const auto path = value.some_text();
    if (!path) return;
    const auto text = read_text_file(*path, limits::guardrail_words_file_bytes);
    if (!text) return value.complain(text.error());
    int line_number = 0;
    for (const std::string_view line : lines_of(*text)) {
        ++line_number;
        if (line.empty() || line.starts_with('#')) continue;
        if (is_word(line))
            rule.words.emplace_back(line);
        else
            return value.complain(
                fmt::format("line {} of that file is not {}", line_number, a_word));
    }
    if (rule.words.empty()) value.complain("there is not a word in that file");
}

void read_words(const Section& section, GuardrailRule& rule) {
    if (const Value* words = section.find("words"))
        for (const Value& item : words->list())
            if (auto word = item.text_that(is_word, a_word)) rule.words.push_back(std::move(*word));
    if (const Value* file = section.find("words_file")) read_words_file(*file, rule);
}

void read_check(const Section& section, GuardrailRule& rule) {
    const Value* value = section.find("check");
    if (!value) return;
    if (rule.action == GuardrailRule::Action::redact)
        value->complain("a check says whether there is something, not where: it can't redact; use "
                        "another action");
    const auto check = value->section(keys_of_check);
    if (!check) return;
    GuardrailRule::Check read;
    const auto url = [](const Value& written) {
        return written.text_that(is_web_url, "a URL such as https://example.com/check");
    };
    const auto timeout = [](const Value& time) { return time.duration(10ms, 1min); };
    if (!check->find("url")) value->complain("url is missing: who is to be asked");
    check->read("url", url, read.url);
    check->read("timeout", timeout, read.timeout);
    if (const Value* headers = check->find("headers"))
        for (auto& [name, text] : read_headers(*headers))
            read.headers.emplace_back(name, std::move(text));
    rule.check = std::move(read);
}

std::optional<GuardrailRule> read_rule(const Value& value) {
    const std::size_t problems = value.problem_count();
    const auto section = value.section(keys_of_rule);
    if (!section) return std::nullopt;
    GuardrailRule rule;
    if (section->find("pii")) rule.kind = GuardrailRule::Kind::pii;
    section->read("kind", read_kind, rule.kind);
    section->read("action", read_action, rule.action);
    section->read("when", read_when, rule.when);
    section->read("hold_characters", read_hold, rule.hold_characters);
    read_name(*section, value, rule);
    read_places(*section, rule);
    read_pii(*section, rule);
    read_patterns(*section, rule);
    read_words(*section, rule);
    read_check(*section, rule);
    if (value.problem_count() > problems) return std::nullopt;
    if (rule.pii.empty() && rule.patterns.empty() && rule.words.empty() && !rule.check) {
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
