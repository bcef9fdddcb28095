#include "access/tool_access.hpp"
#include "base/nearest.hpp"
#include "exchange/guard.hpp"
#include "exchange/utc_now.hpp"
#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "metering/claim.hpp"
#include "metering/prices.hpp"
#include "server/handlers.hpp"
#include "tools/tool_box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace runnel::server {

using boost::asio::awaitable;
using tools::ToolBox;
using tools::ToolOutcome;

namespace {

awaitable<ToolBox::Offer> tools_of(const ToolBox* tools, access::ToolAccess access,
                                   http::Stop* stop) {
    if (tools == nullptr) co_return ToolBox::Offer{};
    const std::vector<std::string> names = access.among(tools->names());
    co_return co_await tools->offer(names, stop);
}

// Servers that are not there are left out. Only the admin sees where a tool comes from: its name
// under `tools` of the config.
enum class Sources { hidden, shown };
std::string tools_json(const ToolBox::Offer& offer, const ToolBox* tools, Sources sources) {
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
    return body;
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

// {"ok", "tool", "result"} or {"ok", "tool", "error"}. An error is one of the request's. What the
// guard objects to is not run, and of what was answered the client sees what may be shown. Nor is a
// tool that has a fee among `uncounted`, those that no budget of the caller's would count here;
// null: it has none.
awaitable<Result<std::string>> run_tool(const ToolBox* tools, access::ToolAccess access,
                                        const metering::Prices* uncounted, std::string body,
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

    tools::ToolCall call;
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
    shown ? out.raw(*shown) : out.string(guardrail::result_withheld);
    out.end_object();
    co_return answer;
}

// What is run here is in no ledger.
const metering::Prices* uncounted_fees(const access::Key* key, const exchange::Gateway& gateway) {
    const metering::SharedLimits& limits = gateway.access.limits;
    const bool refused = key != nullptr &&
                         limits.unpriced == metering::SharedLimits::Unpriced::refuse &&
                         !metering::budgets_of(*key, limits, exchange::utc_now()).holds.empty();
    return refused ? &gateway.prices : nullptr;
}

}  // namespace

// What the tools of the config offer that the caller may use.
Answer list_tools(Call call) {
    const auto gateway = call.resources->gateway;
    const Sources sources =
        call.caller.kind == access::Caller::Kind::admin ? Sources::shown : Sources::hidden;
    const access::ToolAccess access(call.caller, gateway->access.auth);
    const ToolBox* tools = gateway->tools.get();
    const ToolBox::Offer offer = co_await tools_of(tools, access, call.transaction->stop);
    co_await send_json(call, 200, tools_json(offer, tools, sources));
}

Answer execute_tool(Call call) {
    const auto gateway = call.resources->gateway;
    exchange::Worker* worker = call.resources->worker;
    exchange::Guard guard(gateway->guardrails, &worker->guardrails, &worker->client, call.record);
    const access::Key* key = call.caller.key.get();
    auto selected =
        guard.select({}, {}, key != nullptr ? &key->guardrails : nullptr, call.request().headers);
    if (!selected) {
        co_await turn_away(call, std::move(selected.error()));
        co_return;
    }
    co_await guard.wait_until_ready();
    const access::ToolAccess access(call.caller, gateway->access.auth);
    auto body = co_await run_tool(gateway->tools.get(), access, uncounted_fees(key, *gateway),
                                  std::move(call.request().body), &worker->parser, &guard,
                                  call.transaction->stop);
    co_await send_result(call, std::move(body));
}

}  // namespace runnel::server
