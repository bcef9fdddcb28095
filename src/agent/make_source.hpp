#pragma once

#include "agent/tool_config.hpp"
#include "agent/tool_source.hpp"
#include "agent/tool_thread.hpp"
#include "base/result.hpp"
#include "http/origin.hpp"

#include <memory>

namespace runnel::agent {

// The source that an entry under `tools:` describes. It is used and destroyed on `thread`, which
// must outlive it. An error names the entry.
Result<std::unique_ptr<ToolSource>> make_source(const ToolConfig& config, ToolThread* thread,
                                                http::Environment environment);

}  // namespace runnel::agent
