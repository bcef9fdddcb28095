#include "tools/rounds/strict_calls.hpp"

#include "json/schema.hpp"
#include "json/text.hpp"

#include <algorithm>

namespace runnel::tools {
namespace {

bool is_strict(const chat::Tool& tool) {
    return tool.kind == chat::Tool::Kind::function && tool.strict.value_or(false);
}

}  // namespace

bool has_strict_tools(const chat::Request& request) {
    return std::ranges::any_of(request.tools, is_strict);
}

std::vector<std::string> strict_problems(const chat::Request& request,
                                         const RoundFilter::Call& call) {
    const auto tool = std::ranges::find(request.tools, call.name, &chat::Tool::name);
    if (tool == request.tools.end() || !is_strict(*tool)) return {};
    const auto arguments = json::read_tree(json::unescaped(call.arguments_escaped));
    if (!arguments || !arguments->is_object()) return {"the arguments are not a JSON object"};
    const auto schema = json::read_tree(tool->parameters_raw);
    return schema ? json::schema_problems(*schema, *arguments) : std::vector<std::string>{};
}

}  // namespace runnel::tools
