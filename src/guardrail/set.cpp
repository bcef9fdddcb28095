#include "guardrail/set.hpp"

#include "guardrail/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <system_error>

namespace runnel::guardrail {
namespace {

constexpr std::size_t scanners_max = 8;
// Requests choose combinations of rules, and a scanner remembers something for each: past so many,
// it is replaced.
constexpr std::size_t combinations_max = 256;

using Kind = GuardrailRule::Kind;

bool looks_at(const GuardrailRule& rule, GuardrailPlace place) {
    switch (place) {
        case GuardrailPlace::input: return rule.on_input;
        case GuardrailPlace::output: return rule.on_output;
        case GuardrailPlace::reasoning: return rule.on_reasoning;
        case GuardrailPlace::tool_arguments: return rule.on_tool_arguments;
    }
    return true;
}

bool detects(const GuardrailRule& rule) {
    return std::ranges::any_of(rule.detect, [](const auto& of) { return !of.second.empty(); });
}

GuardrailRule built_in_pii() {
    GuardrailRule rule{.name = "pii", .kind = Kind::pii};
    const Detector& detector = pii_detector();
    rule.detect[std::string(detector.key())].assign(detector.choices().begin(),
                                                    detector.choices().end());
    rule.when = GuardrailRule::When::asked;
    return rule;
}

template <class Fits>
GuardrailBits bits_of(std::span<const GuardrailRule> rules, GuardrailBits among, Fits fits) {
    GuardrailBits bits = 0;
    for (std::size_t i = 0; i < rules.size(); ++i)
        if ((among & guardrail_bit(i)) != 0 && fits(rules[i])) bits |= guardrail_bit(i);
    return bits;
}

constexpr GuardrailBits all_bits = ~GuardrailBits{0};

}  // namespace

GuardrailSet::GuardrailSet(std::vector<GuardrailRule> rules) : rules_(std::move(rules)) {
    const auto is_pii = [](const GuardrailRule& rule) { return rule.kind == Kind::pii; };
    if (std::ranges::none_of(rules_, is_pii)) {
        built_in_ = guardrail_bit(rules_.size());
        rules_.push_back(built_in_pii());
    }
    always_ = bits_of(rules_, all_bits, [](const GuardrailRule& rule) {
        return rule.when == GuardrailRule::When::always;
    });
    for (std::size_t i = 0; i < guardrail_places; ++i) {
        const auto place = static_cast<GuardrailPlace>(i);
        local_at_[i] = bits_of(rules_, all_bits, [&](const GuardrailRule& rule) {
            return detects(rule) && looks_at(rule, place);
        });
        checks_at_[i] = bits_of(rules_, all_bits, [&](const GuardrailRule& rule) {
            return rule.check.has_value() && looks_at(rule, place);
        });
    }
}

Result<std::shared_ptr<const GuardrailSet>> GuardrailSet::make(std::vector<GuardrailRule> rules) {
    if (rules.size() > limits::guardrail_rules)
        return fail(ErrorKind::internal_error,
                    fmt::format("there are {} guardrails; {} are possible", rules.size(),
                                limits::guardrail_rules));
    for (const GuardrailRule& rule : rules)
        if (rule.check && check_of(rule.check->key) == nullptr)
            return fail(ErrorKind::internal_error,
                        fmt::format("the guardrail '{}': there is no check '{}'", rule.name,
                                    rule.check->key));
    const std::shared_ptr<GuardrailSet> set(new GuardrailSet(std::move(rules)));
    // Those that must be asked for have to work too. The built-in rule does.
    const GuardrailBits written =
        bits_of(set->rules_, ~set->built_in_, [](const auto&) { return true; });
    auto made = set->compile(written);
    if (!made) return propagate(made);
    set->written_ = std::move(*made);
    set->for_everybody_ = set->written_;
    if (set->always_ == written) return set;
    made = set->compile(set->always_);
    if (!made) return propagate(made);
    set->for_everybody_ = std::move(*made);
    return set;
}

Result<GuardrailSet::Compiled> GuardrailSet::compile(GuardrailBits rules) const {
    auto made = GuardrailMatcher::compile(rules_, rules);
    if (!made) return fail(ErrorKind::internal_error, std::move(made.error()));
    return std::move(*made);
}

GuardrailBits GuardrailSet::named(std::string_view name) const {
    const auto kind = guardrail_kind_named(name);
    return bits_of(rules_, all_bits, [&](const GuardrailRule& rule) {
        return rule.name == name || (kind && rule.kind == *kind);
    });
}

std::string GuardrailSet::known_names() const {
    std::vector<std::string_view> names;
    const auto add = [&](std::string_view name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const GuardrailRule& rule : rules_) add(name_of(rule.kind));
    for (const GuardrailRule& rule : rules_) add(rule.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

Result<GuardrailBits> GuardrailSet::select(const Asked& asked) const {
    GuardrailBits bits = always_;
    for (const std::string& name : asked.by_request) {
        const GuardrailBits found = named(name);
        if (found == 0 && guardrail_kind_named(name))
            return fail_at(
                ErrorKind::invalid_value, "guardrails",
                fmt::format("there is no guardrail of the kind {0} here; one with words, "
                            "patterns or a check must be added to guardrails in the "
                            "gateway's config",
                            name));
        if (found == 0)
            return fail_at(
                ErrorKind::invalid_value, "guardrails",
                fmt::format("'{}' is not a guardrail; there are: {}", name, known_names()));
        bits |= found;
    }
    for (const auto& policy : {asked.by_model, asked.by_key}) {
        for (const std::string& name : policy) {
            const GuardrailBits found = named(name);
            if (found == 0)  // who wanted it checked would not want it to pass unchecked
                return fail(ErrorKind::guardrail_blocked,
                            fmt::format("the guardrail '{}' is required for this request, but the "
                                        "gateway has none of that name",
                                        name));
            bits |= found;
        }
    }
    return bits;
}

std::vector<std::string> GuardrailSet::notes(GuardrailBits rules) const {
    std::vector<std::string> notes;
    for (const std::size_t i : indexes_of(rules))
        notes.push_back(fmt::format("{}: {}", rules_[i].name, name_of(rules_[i].action)));
    return notes;
}

Result<GuardrailSet::Compiled> GuardrailSet::matcher(GuardrailBits rules) const {
    if (rules == always_) return for_everybody_;
    if ((rules & built_in_) == 0) return written_;
    if (!is_ready(rules)) all_compiled_.wait(false);
    return all_;
}

bool GuardrailSet::is_ready(GuardrailBits rules) const {
    if ((rules & built_in_) == 0 || all_compiled_) return true;
    std::call_once(begun_, [this] {
        // Said beforehand, because afterwards there may be no memory to say it with.
        all_ = fail(ErrorKind::internal_error,
                    "the guardrails of this request could not be compiled, so it goes no further: "
                    "there was no memory or no thread for it; reload the config to try again");
        const auto settle = [this] {
            all_compiled_ = true;
            all_compiled_.notify_all();
        };
        try {
            compiling_ = std::jthread([this, settle] {
                try {
                    all_ = compile(all_bits);
                } catch (const std::exception&) {  // std::bad_alloc
                }
                settle();
            });
        } catch (const std::system_error&) {
            settle();
        }
    });
    return false;
}

Result<std::shared_ptr<Scanner>> GuardrailWorkspace::scanner_for(const GuardrailSet& set,
                                                                 GuardrailBits rules) {
    auto matcher = set.matcher(rules);
    if (!matcher) return propagate(matcher);
    auto known = std::ranges::find_if(
        scanners_, [&](const Taken& taken) { return &taken.scanner->matcher() == matcher->get(); });
    if (known != scanners_.end() && known->by.size() >= combinations_max) {
        scanners_.erase(known);
        known = scanners_.end();
    }
    if (known == scanners_.end()) {
        if (scanners_.size() >= scanners_max) scanners_.erase(scanners_.begin());
        scanners_.push_back({std::make_shared<Scanner>(std::move(*matcher))});
        known = scanners_.end() - 1;
    }
    known->by.insert(rules);
    return known->scanner;
}

}  // namespace runnel::guardrail
