#include "json/schema_limits.hpp"

#include "json/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace runnel::json {
namespace {

struct Rule {
    std::string_view keyword;
    Type of;
    bool (*holds)(double size, double limit);
    std::string_view must;  // around the limit
    std::string_view unit{};
};

bool at_least(double size, double limit) { return size >= limit; }
bool at_most(double size, double limit) { return size <= limit; }
bool more(double size, double limit) { return size > limit; }
bool less(double size, double limit) { return size < limit; }

bool is_multiple(double size, double limit) {
    constexpr double tolerance = 1e-9;  // of 0.3 as a multiple of 0.1
    const double times = size / limit;
    return limit == 0 ||  // which no schema may say
           std::abs(times - std::round(times)) <= tolerance * std::max(1.0, std::abs(times));
}

constexpr Rule rules[] = {
    {"minimum", Type::number, at_least, "be at least"},
    {"maximum", Type::number, at_most, "be at most"},
    {"exclusiveMinimum", Type::number, more, "be more than"},
    {"exclusiveMaximum", Type::number, less, "be less than"},
    {"multipleOf", Type::number, is_multiple, "be a multiple of"},
    {"minLength", Type::string, at_least, "have at least", " characters"},
    {"maxLength", Type::string, at_most, "have at most", " characters"},
    {"minItems", Type::array, at_least, "have at least", " elements"},
    {"maxItems", Type::array, at_most, "have at most", " elements"},
    {"minProperties", Type::object, at_least, "have at least", " properties"},
    {"maxProperties", Type::object, at_most, "have at most", " properties"},
};

double size_of(const Node& value) {
    switch (type_of(value)) {
        case Type::number: return number_of(value);
        case Type::string: return static_cast<double>(length_of(value.text()));
        case Type::array: return static_cast<double>(value.elements.size());
        case Type::object: return static_cast<double>(value.members.size());
        default: return 0;
    }
}

}  // namespace

std::optional<std::string> limit_problem(std::string_view keyword, const Node& limit,
                                         const Node& value) {
    const auto* rule = std::ranges::find(rules, keyword, &Rule::keyword);
    if (rule == std::end(rules) || rule->of != type_of(value) || type_of(limit) != Type::number ||
        rule->holds(size_of(value), number_of(limit)))
        return std::nullopt;
    return fmt::format("must {} {}{}", rule->must, limit.raw, rule->unit);
}

}  // namespace runnel::json
