#pragma once

#include "guardrail/set.hpp"
#include "guardrail/text.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

// Rules as tests write them, ready to be used.
namespace runnel::testing {

using guardrail::GuardrailRule;

inline GuardrailRule detecting_rule(std::string name, std::string_view detector,
                                    std::vector<std::string> items,
                                    GuardrailRule::Action action = GuardrailRule::Action::block) {
    GuardrailRule rule{.name = std::move(name)};
    rule.detect.emplace(detector, std::move(items));
    rule.action = action;
    return rule;
}

inline GuardrailRule pii_rule(std::vector<std::string> kinds,
                              GuardrailRule::Action action = GuardrailRule::Action::block) {
    GuardrailRule rule = detecting_rule("personal", "pii", std::move(kinds), action);
    rule.kind = GuardrailRule::Kind::pii;
    return rule;
}

inline GuardrailRule all_pii(GuardrailRule::Action action = GuardrailRule::Action::block) {
    return pii_rule({"email", "phone", "card", "iban", "secret"}, action);
}

inline GuardrailRule pattern_rule(std::string name, std::vector<std::string> patterns,
                                  GuardrailRule::Action action = GuardrailRule::Action::block) {
    return detecting_rule(std::move(name), "patterns", std::move(patterns), action);
}

inline GuardrailRule word_rule(std::string name, std::vector<std::string> words,
                               GuardrailRule::Action action = GuardrailRule::Action::block) {
    return detecting_rule(std::move(name), "words", std::move(words), action);
}

inline std::shared_ptr<const guardrail::GuardrailSet> guardrails(std::vector<GuardrailRule> rules) {
    auto set = guardrail::GuardrailSet::make(std::move(rules));
    EXPECT_TRUE(set.has_value()) << set.error().message;
    return set ? *set : nullptr;
}

// The text with what a detector finds in it replaced by its category, or by "found". It is the same
// whether the text comes whole, in two pieces or character by character.
inline std::string redacted(std::string_view detector, std::vector<std::string> items,
                            std::string_view text) {
    using guardrail::GuardrailText;
    const auto set = guardrails(
        {detecting_rule("found", detector, std::move(items), GuardrailRule::Action::redact)});
    static guardrail::GuardrailWorkspace workspace;
    const auto scratch = *workspace.scanner_for(*set, 1);
    const auto shown = [](const GuardrailText& scanned, std::string_view added) {
        return scanned.released_as_added() ? added : scanned.released();
    };
    const auto in_pieces = [&](auto ends) {  // ends(at): a piece ends there
        GuardrailText scanned(scratch, 1, GuardrailText::Blocks::note);
        std::string all;
        for (std::size_t begin = 0, end = 1; begin < text.size(); ++end) {
            const bool in_character = end < text.size() && (text[end] & 0xC0) == 0x80;
            if (in_character || (end < text.size() && !ends(end))) continue;
            scanned.add(text.substr(begin, end - begin));
            all += shown(scanned, text.substr(begin, end - begin));
            begin = end;
        }
        scanned.add_last("");
        return all += shown(scanned, "");
    };
    GuardrailText scanned(scratch, 1, GuardrailText::Blocks::note);
    scanned.add_whole(text);
    const std::string whole(shown(scanned, text));
    for (std::size_t at = 0; at < text.size(); ++at)
        EXPECT_EQ(in_pieces([&](std::size_t end) { return end == at; }), whole)
            << "'" << text << "' split at " << at;
    EXPECT_EQ(in_pieces([](std::size_t) { return true; }), whole)
        << "'" << text << "' by characters";
    return whole;
}

inline constexpr guardrail::GuardrailBits all_rules = ~guardrail::GuardrailBits{0};

}  // namespace runnel::testing
