#include "server/tools.hpp"

#include "base/nearest.hpp"
#include "json/fields.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace runnel::server {

using agent::ToolBox;
using agent::ToolOutcome;
using boost::asio::awaitable;

namespace {

awaitable<ToolBox::Offer> tools_of(const ToolBox* tools, policy::ToolAccess access,
                                   http::Stop* stop) {
    if (tools == nullptr) co_return ToolBox::Offer{};
    const std::vector<std::string> names = access.among(tools->names());
    co_return co_await tools->offer(names, stop);
}

struct Wish {
    std::string tool;
    std::string arguments_json = "{}";
};

Result<Wish> read_wish(std::string& body, json::Parser* parser) {
    json::ondemand::document document;
    json::ondemand::object object;
    if (parser->parse_strict(Padded::of(body), document) || document.get_object().get(object))
        return fail(ErrorKind::invalid_json, R"(the body must be {"tool": "…", "args": {…}})");
    Wish wish;
    const auto error =
        json::for_each_field(object, [&](std::string_view name, json::ondemand::value value) {
            std::string_view raw;
            if (name == "tool") (void)json::plain_string(value, wish.tool);
            if (name == "args" && json::raw_value(value, raw)) wish.arguments_json = raw;
        });
    if (error) return fail(ErrorKind::invalid_json, "the body is not valid JSON");
    if (wish.tool.empty())
        return fail_at(ErrorKind::missing_required_field, "tool",
                       "tool is missing: the name of the one to run");
    if (!wish.arguments_json.starts_with('{') || !json::is_whole(wish.arguments_json))
        return fail_at(ErrorKind::invalid_value, "args", "args must be an object");
    return wish;
}

Error unknown_tool(const std::string& name, const std::vector<ToolBox::Offered>& offered) {
    std::vector<std::string_view> names;
    for (const ToolBox::Offered& tool : offered) names.push_back(tool.spec.name);
    return {ErrorKind::not_found,
            fmt::format("there is no tool '{}'{}", name, did_you_mean(name, names)), "tool"};
}

}  // namespace

awaitable<std::string> list_tools(const ToolBox* tools, policy::ToolAccess access, Sources sources,
                                  http::Stop* stop) {
    const ToolBox::Offer offer = co_await tools_of(tools, access, stop);
    const std::vector<std::string> names =
        tools != nullptr ? tools->names() : std::vector<std::string>();
    std::string body;
    json::Writer out(body);
    out.begin_object().key("tools").begin_array();
    for (const ToolBox::Offered& tool : offer.tools) {
        out.begin_object().key("name").string(tool.spec.name);
        if (sources == Sources::shown) out.key("source").string(names[tool.entry]);
        out.key("description").string(tool.spec.description);
        out.key("params").raw(tool.spec.parameters_json).end_object();
    }
    out.end_array().end_object();
    co_return body;
}

awaitable<Result<std::string>> execute_tool(const ToolBox* tools, policy::ToolAccess access,
                                            const policy::Prices* uncounted, std::string body,
                                            json::Parser* parser, exchange::Guard* guard,
                                            http::Stop* stop) {
    auto wish = read_wish(body, parser);
    if (!wish) co_return propagate(wish);
    ToolBox::Offer offer = co_await tools_of(tools, access, stop);
    const auto tool = std::ranges::find_if(offer.tools, [&](const ToolBox::Offered& candidate) {
        return candidate.spec.name == wish->tool;
    });
    if (tool == offer.tools.end()) {
        // It may be one of a server that is not there.
        if (offer.missing) co_return fail(std::move(*offer.missing));
        co_return fail(unknown_tool(wish->tool, offer.tools));
    }
    if (uncounted != nullptr && uncounted->tool_fee(wish->tool))
        co_return fail_at(ErrorKind::insufficient_scope, "tool",
                          fmt::format("the tool '{}' has a fee, and this key is under a budget, "
                                      "which counts what is run in a chat: ask for it there, with "
                                      "builtin_tools",
                                      wish->tool));

    agent::ToolCall call;
    auto allowed = co_await guard->look_at_tool(std::move(wish->arguments_json), stop);
    if (!allowed) {
        if (allowed.error().kind == ErrorKind::guardrail_blocked) allowed.error().param = "args";
        co_return propagate(allowed);
    }
    call.arguments_json = std::move(*allowed);
    ToolOutcome outcome = co_await tools->run(*tool, std::move(call), stop);
    auto shown = co_await guard->look_at_tool(std::move(outcome.result_json), stop);
    if (!shown && stop->requested()) co_return propagate(shown);
    const bool ok = shown && outcome.kind == ToolOutcome::Kind::completed;
    std::string answer;
    json::Writer out(answer);
    out.begin_object().key("ok").boolean(ok).key("tool").string(wish->tool);
    ok ? out.key("result") : out.key("error");
    shown ? out.raw(*shown) : out.string(policy::result_withheld);
    out.end_object();
    co_return answer;
}

}  // namespace runnel::server
