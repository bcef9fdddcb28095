#include "provider/anthropic/tools.hpp"

#include "provider/anthropic/ids.hpp"
#include "provider/anthropic/schema.hpp"
#include "provider/anthropic/wire.hpp"

#include <algorithm>

namespace runnel::provider::anthropic {
namespace {

using Wish = chat::ToolChoice::Kind;

// Another provider's own tools can't be run here.
std::vector<const chat::Tool*> known_tools(Draft& draft, const chat::Request& request) {
    std::vector<const chat::Tool*> known;
    for (const chat::Tool& tool : request.tools) {
        if (tool.kind != chat::Tool::Kind::provider || draft.is_native()) {
            known.push_back(&tool);
        } else {
            draft.warn(dropped_tool(tool.type));
        }
    }
    return known;
}

bool calls_in_history(const chat::Request& request) {
    return std::ranges::any_of(request.messages, &chat::Message::has_calls);
}

void choose(Toolbox& toolbox, const chat::ToolChoice& wish) {
    switch (wish.kind) {
        case Wish::absent: return;
        case Wish::none: toolbox.choice = Toolbox::Choice::none; return;
        case Wish::automatic: toolbox.choice = Toolbox::Choice::automatic; return;
        case Wish::required: toolbox.choice = Toolbox::Choice::any; return;
        case Wish::named:
            toolbox.choice = Toolbox::Choice::named;
            toolbox.name = wish.name;
            return;
        case Wish::allowed:
            std::erase_if(toolbox.tools, [&](const chat::Tool* tool) {
                return std::ranges::find(wish.allowed, tool->name) == wish.allowed.end();
            });
            toolbox.choice = wish.allowed_mode == chat::ToolChoice::Mode::required
                                 ? Toolbox::Choice::any
                                 : Toolbox::Choice::automatic;
            return;
    }
}

// The schema becomes a tool that has to be called; the wire turns its input back into text.
void answer_by_tool(Toolbox& toolbox) {
    if (toolbox.choice == Toolbox::Choice::named) return;
    const bool only_way = toolbox.tools.empty() || toolbox.choice == Toolbox::Choice::none;
    toolbox.answer_by_tool = true;
    toolbox.choice = only_way ? Toolbox::Choice::named : Toolbox::Choice::any;
    toolbox.name = answer_tool;
    toolbox.one_at_a_time = true;
}

void write_tool(Draft& draft, const chat::Tool& tool, const Traits& traits) {
    if (tool.kind == chat::Tool::Kind::provider) {
        draft.writer().raw(tool.raw);
        return;
    }
    json::Writer writer = draft.writer();
    writer.begin_object().key("name").string(ToolNames(tool_name_rule).sent(tool.name));
    if (!tool.description_escaped.empty())
        writer.key("description").escaped(tool.description_escaped);
    const bool strict = tool.strict.value_or(false) && tool.kind == chat::Tool::Kind::function;
    if (strict && !traits.native_schema) draft.warn("dropped_strict");
    if (tool.kind == chat::Tool::Kind::custom) {
        // Free-form input has no equivalent.
        writer.key("input_schema")
            .raw(
                R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"]})");
    } else if (strict && traits.native_schema) {
        writer.key("input_schema").raw(enforceable_schema(object_schema(tool.parameters_raw)));
        writer.key("strict").boolean(true);
    } else {
        writer.key("input_schema").raw(object_schema(tool.parameters_raw));
    }
    draft.end_block(tool.extras, tool.cache);
}

void write_choice(Draft& draft, const Toolbox& toolbox) {
    using Choice = Toolbox::Choice;
    if (toolbox.choice == Choice::unsaid && !toolbox.one_at_a_time) return;
    json::Writer writer = draft.writer();
    writer.key("tool_choice").begin_object().key("type");
    switch (toolbox.choice) {
        case Choice::unsaid:
        case Choice::automatic: writer.string("auto"); break;
        case Choice::any: writer.string("any"); break;
        case Choice::named:
            writer.string("tool").key("name").string(ToolNames(tool_name_rule).sent(toolbox.name));
            break;
        case Choice::none: writer.string("none"); break;
    }
    if (toolbox.one_at_a_time && toolbox.choice != Choice::none)
        writer.key("disable_parallel_tool_use").boolean(true);
    writer.end_object();
}

}  // namespace

Result<Toolbox> plan_tools(Draft& draft, const chat::Request& request, const Traits& traits) {
    Toolbox toolbox;
    toolbox.tools = known_tools(draft, request);
    if (!toolbox.tools.empty()) choose(toolbox, request.tool_choice);
    toolbox.one_at_a_time = request.parallel_tool_calls == false;
    if (toolbox.forced() && !traits.forced_tool)
        return fail_at(ErrorKind::unsupported_parameter, "tool_choice",
                       "this model can't be made to call a tool: tool_choice must be auto or none");
    if (request.output.kind == chat::OutputFormat::Kind::json_schema && !traits.native_schema)
        answer_by_tool(toolbox);
    if (toolbox.empty() && calls_in_history(request)) {
        toolbox.stand_in = true;
        toolbox.choice = Toolbox::Choice::none;
    }
    return toolbox;
}

void write_tools(Draft& draft, const Toolbox& toolbox, const chat::Request& request,
                 const Traits& traits) {
    if (toolbox.empty()) return;
    write_choice(draft, toolbox);
    json::Writer writer = draft.writer();
    writer.key("tools").begin_array();
    for (const chat::Tool* tool : toolbox.tools) write_tool(draft, *tool, traits);
    if (toolbox.answer_by_tool) {
        writer.begin_object().key("name").string(answer_tool);
        writer.key("description").string("Gives the answer to the user. Call it once, at the end.");
        writer.key("input_schema").raw(object_schema(request.output.schema_raw)).end_object();
    }
    if (toolbox.stand_in)
        writer.raw(
            R"({"name":"unavailable","description":"Not available.","input_schema":{"type":"object"}})");
    writer.end_array();
}

}  // namespace runnel::provider::anthropic
