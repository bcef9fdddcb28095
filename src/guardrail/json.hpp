#pragma once

#include "guardrail/findings.hpp"
#include "guardrail/set.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace runnel::guardrail {

// JSON that is there as a whole, looked at by some rules: the arguments of a call, a tool's result.
// Matches are looked for in it as it stands, and in each of its strings and numbers. What is
// replaced is always a string's text or a whole number, so that it stays JSON.
struct ScannedJson {
    enum class Outcome {
        pass,
        replaced,
        blocked,  // by a rule
        unsure,   // what a rule found can't be replaced, or nobody can say in time what it finds
    } outcome = Outcome::pass;
    std::string json{};  // replaced
    GuardrailFindings findings{};
};
ScannedJson scan_json(const std::shared_ptr<Scanner>& scanner, GuardrailBits rules,
                      std::string_view json);
// The same by those of the rules that look at this place themselves.
Result<ScannedJson> scan_json_at(GuardrailPlace place, const GuardrailSet& set, GuardrailBits rules,
                                 GuardrailWorkspace* workspace, std::string_view json);

// Whether a text that a tool was given, or has answered, is to be taken for JSON: it begins as
// such.
bool is_like_json(std::string_view text);

// JSON as somebody reads it who is asked about it: escapes hide nothing, nor do those of JSON that
// is a string in it. What is no JSON stays as it is.
std::string readable(std::string_view json);

}  // namespace runnel::guardrail
