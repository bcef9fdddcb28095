#pragma once

#include "guardrail/rule.hpp"
#include "timeline/event.hpp"

#include <span>
#include <string>

namespace runnel::guardrail {

// All of an answer that a rule looks at as one text, for its check: what each choice says and
// thinks, calls of tools, what the gateway's own tools were asked and answered, and what the
// sources are called.
std::string transcript_for(const GuardrailRule& asking, std::span<const timeline::Event> answer);

}  // namespace runnel::guardrail
