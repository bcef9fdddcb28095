#pragma once

#include "base/result.hpp"
#include "http/client/origin.hpp"
#include "tools/config.hpp"
#include "tools/source.hpp"
#include "tools/tool_thread.hpp"

#include <memory>
#include <string>
#include <vector>

namespace runnel::tools {

// The source that an entry under `tools:` describes. It is used and destroyed on `thread`, which
// must outlive it. `hidden`: the gateway's own files, which no program it starts may read. An error
// names the entry.
Result<std::unique_ptr<ToolSource>> make_source(const ToolConfig& config, ToolThread* thread,
                                                http::Environment environment,
                                                const std::vector<std::string>& hidden = {});

}  // namespace runnel::tools
