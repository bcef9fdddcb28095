#pragma once

#include "guardrail/set.hpp"
#include "guardrail/text.hpp"

#include <string>
#include <vector>

namespace runnel::guardrail {

// What guardrails have found in a request or an answer: never the text itself.
struct GuardrailFindings {
    GuardrailBits rules = 0;
    std::vector<std::string> categories{};  // card, email, a rule's name …; each once

    void add(std::size_t rule, std::string_view category);
    // What a text has come to so far.
    void add(const GuardrailText& text, const GuardrailMatcher& matcher);
    void add(const GuardrailFindings& other);
};

// "card, email"
std::string joined(const std::vector<std::string>& categories);

}  // namespace runnel::guardrail
