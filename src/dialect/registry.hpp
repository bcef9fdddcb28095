#pragma once

#include "dialect/dialect.hpp"

#include <span>
#include <string_view>

namespace runnel::dialect {

// A client wire format: one line here, one file beside this one that defines the function of that
// name.
#define RUNNEL_DIALECTS(X) X(openai) X(timeline) X(agent) X(agent_raw)

#define RUNNEL_DECLARE(name) const Dialect& name();
RUNNEL_DIALECTS(RUNNEL_DECLARE)
#undef RUNNEL_DECLARE

// The dialect of that name, or null.
const Dialect* dialect_named(std::string_view name);

// Every dialect's name, in the order of the list above.
std::span<const std::string_view> names();

}  // namespace runnel::dialect
