#include "guardrail/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::guardrail {

void GuardrailFindings::add(std::size_t rule, std::string_view category) {
    rules |= guardrail_bit(rule);
    if (std::ranges::find(categories, category) == categories.end())
        categories.emplace_back(category);
}

void GuardrailFindings::add(const GuardrailText& text, const GuardrailMatcher& matcher) {
    for (const std::size_t expression : text.found())
        add(matcher.expressions()[expression].rule, matcher.expressions()[expression].category);
}

void GuardrailFindings::add(const GuardrailFindings& other) {
    rules |= other.rules;
    for (const std::string& category : other.categories)
        if (std::ranges::find(categories, category) == categories.end())
            categories.push_back(category);
}

std::string joined(const std::vector<std::string>& categories) {
    return fmt::format("{}", fmt::join(categories, ", "));
}

}  // namespace runnel::guardrail
