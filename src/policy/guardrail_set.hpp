#pragma once

#include "base/result.hpp"
#include "policy/guardrail_matcher.hpp"
#include "policy/guardrail_rule.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::policy {

// Where text stands.
enum class GuardrailPlace { input, output, reasoning, tool_arguments };

// All rules of a config, and the built-in one for personal data where the config has none. Shared
// by all threads; a new config makes a new one.
class GuardrailSet {
public:
    // The rules that apply to everybody are compiled at once. An error names the rule at fault.
    static Result<std::shared_ptr<const GuardrailSet>> make(std::vector<GuardrailRule> rules);

    // Names of rules, or kinds of them, that apply besides those that always do. A request can ask
    // for more than its model and its key do, never for less.
    struct Asked {
        std::span<const std::string> by_request{};
        std::span<const std::string> by_model{};
        std::span<const std::string> by_key{};
    };
    // Which rules look at the request; none: 0. The error is the client's where the request asks
    // for what there is not.
    Result<GuardrailBits> select(const Asked& asked) const;

    // Those of `rules` that look there: by patterns and words, or by asking somebody else.
    GuardrailBits local_at(GuardrailPlace place, GuardrailBits rules) const;
    GuardrailBits checks_at(GuardrailPlace place, GuardrailBits rules) const;

    const GuardrailRule& rule(std::size_t at) const { return rules_[at]; }
    std::size_t size() const { return rules_.size(); }
    // "name: action", for the log, of each of these rules.
    std::vector<std::string> notes(GuardrailBits rules) const;

    // Compiled the first time somebody asks for it, which takes some tens of milliseconds.
    Result<std::shared_ptr<const GuardrailMatcher>> matcher(GuardrailBits rules) const;

private:
    explicit GuardrailSet(std::vector<GuardrailRule> rules);
    GuardrailBits named(std::string_view name) const;
    std::string known_names() const;
    // Null: it must be compiled first, for these rules or, where there are too many combinations
    // already, for all of them.
    std::shared_ptr<const GuardrailMatcher> known_matcher(GuardrailBits* rules) const;

    std::vector<GuardrailRule> rules_;
    GuardrailBits always_ = 0;
    GuardrailBits built_in_ = 0;  // the rule that no config wrote
    mutable std::mutex mutex_;
    mutable std::map<GuardrailBits, std::shared_ptr<const GuardrailMatcher>> matchers_;
};

// What one thread needs to scan with guardrails. Not shared.
class GuardrailWorkspace {
public:
    Result<std::shared_ptr<MatcherSeat>> seat_for(const GuardrailSet& set, GuardrailBits rules);

private:
    // The latest few: a new config, or another combination of rules, makes others.
    std::vector<std::shared_ptr<MatcherSeat>> seats_;
};

}  // namespace runnel::policy
