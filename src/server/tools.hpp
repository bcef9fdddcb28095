#pragma once

#include "agent/tool_box.hpp"
#include "base/result.hpp"
#include "exchange/guard.hpp"
#include "http/stop.hpp"
#include "json/parser.hpp"
#include "policy/prices.hpp"
#include "policy/tool_access.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace runnel::server {

// Body of GET /v1/tools: what the tools of the config that the caller may use offer, but for
// servers that are not there. `tools` may be null: there are none.
// The admin sees where each comes from: its name under `tools`.
enum class Sources { hidden, shown };
boost::asio::awaitable<std::string> list_tools(const agent::ToolBox* tools,
                                               policy::ToolAccess access, Sources sources,
                                               http::Stop* stop);

// Body of POST /v1/tools/execute, whose request is {"tool", "args"}: {"ok", "tool", "result"} or
// {"ok", "tool", "error"}. An error is one of the request's. What the guard objects to is not run,
// and of what was answered the client sees what may be shown. Nor is a tool that has a fee among
// `uncounted`, those that no budget of the caller's would count here; null: it has none.
boost::asio::awaitable<Result<std::string>> execute_tool(const agent::ToolBox* tools,
                                                         policy::ToolAccess access,
                                                         const policy::Prices* uncounted,
                                                         std::string body, json::Parser* parser,
                                                         exchange::Guard* guard, http::Stop* stop);

}  // namespace runnel::server
