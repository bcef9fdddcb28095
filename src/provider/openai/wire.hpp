#pragma once

#include "provider/presets.hpp"
#include "provider/provider.hpp"

#include <memory>
#include <string>

namespace runnel::provider {

// Reads one answer of the OpenAI-compatible family. `preset` is a row of the table; `parser` must
// outlive the wire.
std::unique_ptr<Wire> make_openai_wire(const Preset& preset, std::string display_name,
                                       json::Parser* parser);

}  // namespace runnel::provider
