#pragma once

#include "cli/litellm/draft.hpp"
#include "cli/litellm/reading.hpp"

namespace runnel::cli {

// fallbacks, and the kinds of them that Runnel lacks. Whether the entry was one of them.
bool read_litellm_fallbacks(LitellmReading& reading, const config::Entry& entry,
                            ConfigDraft& draft);

// default_fallbacks of a section, and its fallbacks of '*': for models without others.
void read_litellm_default_fallbacks(LitellmReading& reading, const config::Value& section,
                                    ConfigDraft& draft);

// model_group_alias. Whether the entry was that.
bool read_litellm_alias(LitellmReading& reading, const config::Entry& entry, ConfigDraft& draft);

}  // namespace runnel::cli
