#include "guardrail/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace runnel::guardrail {
namespace {

template <class Kind>
const Kind* with_key(std::span<const Kind* const> all, std::string_view key) {
    const auto found = std::ranges::find(all, key, &Kind::key);
    return found == all.end() ? nullptr : *found;
}

}  // namespace

std::span<const Detector* const> detectors() {
#define RUNNEL_GET(name) &name##_detector(),
    static const std::array all{RUNNEL_DETECTORS(RUNNEL_GET)};
#undef RUNNEL_GET
    return all;
}

std::span<const Check* const> checks() {
#define RUNNEL_GET(name) &name##_check(),
    static const std::array all{RUNNEL_CHECKS(RUNNEL_GET)};
#undef RUNNEL_GET
    return all;
}

const Detector* detector_of(std::string_view key) { return with_key(detectors(), key); }
const Check* check_of(std::string_view key) { return with_key(checks(), key); }

Error check_failed(const GuardrailRule& rule, std::string_view why) {
    return {ErrorKind::guardrail_blocked,
            fmt::format("the guardrail '{}' could not look at this, so it goes no further; try "
                        "again",
                        rule.name),
            {},
            fmt::format("guardrail '{}': {}", rule.name, why)};
}

}  // namespace runnel::guardrail
