#pragma once

#include "guardrail/check.hpp"
#include "guardrail/detector.hpp"

#include <span>
#include <string_view>

namespace runnel::guardrail {

// What finds something in text: one name here, and in detectors/ a file with its NAME_detector().
// Where two matches are the same span, the one that stands here first gives it its name.
#define RUNNEL_DETECTORS(X) X(pii) X(patterns) X(words)

// What asks another service about a text: one name here, and in checks/ a file with its
// NAME_check().
#define RUNNEL_CHECKS(X) X(moderation)

#define RUNNEL_DECLARE(name) const Detector& name##_detector();
RUNNEL_DETECTORS(RUNNEL_DECLARE)
#undef RUNNEL_DECLARE
#define RUNNEL_DECLARE(name) const Check& name##_check();
RUNNEL_CHECKS(RUNNEL_DECLARE)
#undef RUNNEL_DECLARE

// All of them, in the order of the lists above.
std::span<const Detector* const> detectors();
std::span<const Check* const> checks();

// The one with that key, or null.
const Detector* detector_of(std::string_view key);
const Check* check_of(std::string_view key);

}  // namespace runnel::guardrail
