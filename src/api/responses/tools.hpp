#pragma once

#include "api/request_value.hpp"

#include <string>
#include <string_view>
#include <vector>

// The tools of a Responses request, and the wish which of them to call. Tools come alone or in
// groups (`namespace`); for everybody else a tool of a group has the name group__name, and its
// extra `namespace` says so.
namespace runnel::api::responses {

// Adds the tools of an array to `tools`.
Result<void> read_tool_list(Value& value, chat::Request& request, std::vector<chat::Tool>& tools);
Result<void> read_choice(Value& value, chat::Request& request);

// What can only be checked when both are known.
Result<void> check_choice(const chat::Request& request);

// The name of a tool of that group; the group may be empty.
std::string name_in_group(std::string_view group, std::string_view name);

// A tool as the client knows it.
struct ClientTool {
    std::string_view name;
    std::string_view group{};
    chat::Tool::Kind kind = chat::Tool::Kind::function;
};
ClientTool as_client_knows(const chat::Tool& tool);
// The one that a model called; `request` may be null.
ClientTool find_called(const chat::Request* request, std::string_view name);

}  // namespace runnel::api::responses
