#pragma once

#include "cli/litellm/models.hpp"

namespace runnel::cli {

// LiteLLM's sections besides model_list. They are read after it: fallbacks and aliases are only for
// models that there are.
void read_litellm_settings(LitellmReading& reading, const std::vector<config::Entry>& sections,
                           ConfigDraft& draft);

// What router_settings say about choosing; strategies that Runnel lacks are noted.
LitellmRouting read_litellm_routing(LitellmReading& reading,
                                    const std::vector<config::Entry>& sections);

}  // namespace runnel::cli
