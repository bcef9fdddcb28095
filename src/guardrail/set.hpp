#pragma once

#include "base/result.hpp"
#include "guardrail/matcher.hpp"
#include "guardrail/rule.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace runnel::guardrail {

// Where text stands.
enum class GuardrailPlace { input, output, reasoning, tool_arguments };
inline constexpr std::size_t guardrail_places = 4;

// All rules of a config, and the built-in one for personal data where the config has none. Shared
// by all threads; a new config makes a new one.
class GuardrailSet {
public:
    // All rules that the config wrote are compiled. An error names the rule at fault.
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

    // Those of `rules` that look there: by their detectors, or by a check.
    GuardrailBits local_at(GuardrailPlace place, GuardrailBits rules) const {
        return local_at_[static_cast<std::size_t>(place)] & rules;
    }
    GuardrailBits checks_at(GuardrailPlace place, GuardrailBits rules) const {
        return checks_at_[static_cast<std::size_t>(place)] & rules;
    }

    const GuardrailRule& rule(std::size_t at) const { return rules_[at]; }
    std::size_t size() const { return rules_.size(); }
    // "name: action", for the log, of each of these rules.
    std::vector<std::string> notes(GuardrailBits rules) const;

    // One that finds what these rules look for, and perhaps more: whoever uses it names the rules.
    // Waits until it is ready.
    Result<std::shared_ptr<const GuardrailMatcher>> matcher(GuardrailBits rules) const;
    // False: it is being compiled, because nobody has asked for these rules before. That takes up
    // to a tenth of a second, on a thread of its own. Only the built-in rule is worth it.
    bool is_ready(GuardrailBits rules) const;

private:
    explicit GuardrailSet(std::vector<GuardrailRule> rules);
    GuardrailBits named(std::string_view name) const;
    std::string known_names() const;

    using Compiled = std::shared_ptr<const GuardrailMatcher>;
    Result<Compiled> compile(GuardrailBits rules) const;

    std::vector<GuardrailRule> rules_;
    std::array<GuardrailBits, guardrail_places> local_at_{};
    std::array<GuardrailBits, guardrail_places> checks_at_{};
    GuardrailBits always_ = 0;
    GuardrailBits built_in_ = 0;  // the rule that no config wrote
    Compiled for_everybody_;
    Compiled written_;  // all but the built-in one
    mutable std::once_flag begun_;
    mutable Result<Compiled> all_;  // once it is compiled
    mutable std::atomic<bool> all_compiled_ = false;
    mutable std::jthread compiling_;  // last: it uses the others
};

// What one thread needs to scan with guardrails. Not shared.
class GuardrailWorkspace {
public:
    Result<std::shared_ptr<Scanner>> scanner_for(const GuardrailSet& set, GuardrailBits rules);

private:
    struct Taken {
        std::shared_ptr<Scanner> scanner;
        std::set<GuardrailBits> by{};  // what it has been used for, which it remembers
    };
    // The latest few: a new config makes others.
    std::vector<Taken> scanners_;
};

}  // namespace runnel::guardrail
