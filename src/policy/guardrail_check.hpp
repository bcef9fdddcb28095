#pragma once

#include "base/result.hpp"
#include "policy/guardrail_rule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::policy {

// What somebody is asked who looks at texts for us: OpenAI's moderation request.
std::string write_check(std::string_view text);

// What they say: {"flagged": true, "categories": ["hate"]}, or OpenAI's moderation answer.
struct CheckAnswer {
    bool flagged = false;
    std::vector<std::string> categories{};
};
// An answer that nobody can read is an error: then the rule counts as one that has found something.
Result<CheckAnswer> read_check(std::string_view body);

// What a client is told when a check could not be made.
Error check_failed(const GuardrailRule& rule, std::string_view why);

}  // namespace runnel::policy
