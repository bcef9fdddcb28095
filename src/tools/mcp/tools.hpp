#pragma once

#include "base/result.hpp"
#include "json/parser.hpp"
#include "tools/mcp/param_headers.hpp"
#include "tools/source.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace runnel::tools::mcp {

struct Tool {
    ToolSpec spec;     // its name is one that every provider takes
    std::string name;  // the server's own
    std::vector<ParamHeader> headers;
};

// Gathers the pages of a server's tools/list: what is allowed, within limits, and fit to be offered
// to a model.
class ToolList {
public:
    // `allow`: the server's names of the tools that may be used; empty: all.
    explicit ToolList(std::vector<std::string> allow) : allow_(std::move(allow)) {}

    // Adds a page. Returns where the next one begins; empty: this was the last.
    Result<std::string> add_page(json::Parser* parser, std::string result_json);
    // The list is whole: says what was asked for and did not come.
    void finish();

    const std::vector<Tool>& tools() const { return tools_; }
    // What was left out and why, each a sentence that names the tool.
    const std::vector<std::string>& warnings() const { return warnings_; }
    // How long the server wants it remembered. SDKs say 0 where nobody thought of it: that counts
    // as nothing said.
    std::optional<std::chrono::milliseconds> time_to_live() const { return time_to_live_; }

private:
    struct Found;
    void add(json::Parser* parser, Found found);

    std::vector<std::string> allow_;
    std::vector<Tool> tools_;
    std::vector<std::string> warnings_;
    std::optional<std::chrono::milliseconds> time_to_live_;
    std::size_t pages_ = 0;
    std::size_t too_many_ = 0;
};

}  // namespace runnel::tools::mcp
