#pragma once

#include "base/result.hpp"
#include "http/client/origin.hpp"
#include "http/tls.hpp"
#include "tools/config.hpp"
#include "tools/tool_box.hpp"
#include "tools/tool_thread.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace runnel::tools {

// Keeps the tools of the config that is in use, and the thread they live on. Used by the one thread
// that reads configs.
class ToolRuntime {
public:
    // `tls` must outlive it.
    ToolRuntime(http::UpstreamTls* tls, http::Environment environment);
    // Whoever uses a box must be gone.
    ~ToolRuntime();

    // The tools of this config, and a few that are always there: those in use where they are the
    // same, so that a reload does not end what they are doing. `hidden`: files and folders that
    // programs started here may not read. An error names the entry.
    Result<std::shared_ptr<const ToolBox>> open(std::vector<ToolConfig> tools,
                                                std::vector<std::string> hidden);
    // Nobody waits for a tool any more: the thread ends. Boxes may still be let go of.
    void close();

private:
    http::UpstreamTls* tls_;
    http::Environment environment_;
    std::optional<ToolThread> thread_;  // from the first config on
    std::vector<ToolConfig> configs_;
    std::vector<std::string> hidden_;
    std::shared_ptr<const ToolBox> box_;
};

}  // namespace runnel::tools
