#pragma once

#include "config/config.hpp"
#include "config/sections/guardrail.hpp"
#include "config/sections/target.hpp"
#include "config/sections/tool.hpp"
#include "config/yaml/yaml_reader.hpp"

#include <optional>
#include <string>

namespace runnel::config {

struct WrittenModel {
    Model model;
    // To be compared with the other models.
    std::optional<Value> stream_fallback{};
    std::optional<Value> id{};
    // Counted in one place with those of keys.
    access::RateLimits rates{};
    std::optional<access::Budget> budget{};
};

// One entry of `models:`; nothing when it has a problem.
std::optional<WrittenModel> read_model(const Entry& entry, const KnownProviders& providers,
                                       const KnownTools& tools, const KnownGuardrails& guardrails);

// Reports what no model, and no alias, can be called.
void check_model_name(const Entry& entry);

// The default dialect, or a model's.
std::optional<std::string> read_dialect(const Value& value);

}  // namespace runnel::config
