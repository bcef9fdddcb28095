#include "tools/mcp/protocol.hpp"

#include "base/utf8.hpp"
#include "json/fields.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace runnel::tools::mcp {
namespace {

constexpr std::string_view modern_version = "2026-07-28";
// The one that is asked for first; a later one would allow streams that break off to be polled.
constexpr std::string_view legacy_version = "2025-06-18";
constexpr std::array<std::string_view, 4> legacy_versions{"2024-11-05", "2025-03-26",
                                                          legacy_version, "2025-11-25"};

constexpr int header_mismatch = -32020;
constexpr int missing_capability = -32021;
constexpr int unsupported_version = -32022;

constexpr std::size_t server_text_bytes = 500;  // of a server's own words in a message of ours

void append_client_info(json::Writer& writer) {
    writer.begin_object()
        .key("name")
        .string("runnel")
        .key("version")
        .string(RUNNEL_VERSION)
        .end_object();
}

bool knows(std::string_view version) {
    return std::ranges::find(legacy_versions, version) != legacy_versions.end();
}

// The era of the versions that a modern server lists at `key` of the object; modern where it lists
// none.
Era era_of_versions(json::Parser* parser, std::string object_json, std::string_view key) {
    json::ondemand::document document;
    json::ondemand::value root;
    Era era = Era::modern;
    if (parser->parse(Padded::of(object_json), document) || document.get_value().get(root))
        return era;
    (void)json::for_each_field(root, [&](std::string_view name, json::ondemand::value value) {
        if (name != key) return;
        era = Era::legacy;
        (void)json::for_each_element(value, [&](json::ondemand::value element) {
            std::string version;
            if (json::plain_string(element, version) && version == modern_version)
                era = Era::modern;
        });
    });
    return era;
}

}  // namespace

Outgoing Protocol::request(std::string_view method, std::string_view params_json) {
    Outgoing out{++last_id_, std::string(method), {}, {}};
    out.json = write_request(out.id, method, params_json);
    if (era_ == Era::modern) {
        out.headers = {{"MCP-Protocol-Version", std::string(modern_version)},
                       {"Mcp-Method", std::string(method)}};
    } else if (!version_.empty()) {
        out.headers = {{"MCP-Protocol-Version", version_}};
    }
    return out;
}

// The params' _meta: in the modern era who asks and what for, in every request; `more_json` are
// fields beyond that, written one after the other.
void Protocol::append_meta(std::string& params, std::string_view more_json) const {
    if (era_ != Era::modern && more_json.empty()) return;
    json::Writer writer(params);
    writer.key("_meta").begin_object();
    if (era_ == Era::modern) {
        writer.key("io.modelcontextprotocol/protocolVersion").string(modern_version);
        writer.key("io.modelcontextprotocol/clientInfo");
        append_client_info(writer);
        writer.key("io.modelcontextprotocol/clientCapabilities").begin_object().end_object();
    }
    if (!more_json.empty()) writer.raw(more_json);
    writer.end_object();
}

Outgoing Protocol::discover() {
    // Asked in the modern way, whatever turns out.
    const Era known = std::exchange(era_, Era::modern);
    std::string params = "{";
    append_meta(params, {});
    Outgoing out = request("server/discover", params += '}');
    era_ = known;
    return out;
}

void Protocol::take_discovery(const Answer& answer) {
    const Message& message = answer.message;
    if (message.kind == Message::Kind::result) {
        era_ = era_of_versions(parser_, message.body_json, "supportedVersions");
        read_capabilities(message.body_json);
    } else if (message.code == unsupported_version) {
        era_ = era_of_versions(parser_, message.data_json, "supported");
    } else {
        // A modern server without this one method says so with status 404; a legacy one that
        // knows neither method nor era says so with 200, 400 or what it likes.
        const bool refuses_as_modern = message.code == header_mismatch ||
                                       message.code == missing_capability ||
                                       (message.code == method_not_found && answer.status == 404);
        era_ = refuses_as_modern ? Era::modern : Era::unknown;
    }
}

Outgoing Protocol::initialize() {
    version_.clear();
    const Era known = std::exchange(era_, Era::legacy);
    std::string params;
    json::Writer writer(params);
    writer.begin_object().key("protocolVersion").string(legacy_version);
    writer.key("capabilities").begin_object().end_object().key("clientInfo");
    append_client_info(writer);
    Outgoing out = request("initialize", params += '}');
    era_ = known;
    return out;
}

Result<void> Protocol::take_initialization(const Answer& answer) {
    const Message& message = answer.message;
    if (message.kind == Message::Kind::error) {
        if (era_ == Era::unknown && message.code != 0) {
            era_ = Era::modern;
            return {};
        }
        forget();
        return fail(
            ErrorKind::upstream_rejected,
            fmt::format("refuses the handshake: {}", utf8_prefix(message.text, server_text_bytes)));
    }
    std::string version;
    std::string body = message.body_json;
    json::ondemand::document document;
    json::ondemand::value root;
    if (!parser_->parse(Padded::of(body), document) && !document.get_value().get(root))
        (void)json::for_each_field(root, [&](std::string_view name, json::ondemand::value value) {
            if (name == "protocolVersion") json::plain_string(value, version);
        });
    if (!knows(version))
        return fail(ErrorKind::upstream_malformed,
                    fmt::format("speaks MCP '{}', which this gateway does not know",
                                utf8_prefix(version, 32)));
    era_ = Era::legacy;
    version_ = std::move(version);
    read_capabilities(message.body_json);
    return {};
}

Outgoing Protocol::initialized() {
    Outgoing out{0, "notifications/initialized", {}, {{"MCP-Protocol-Version", version_}}};
    out.json = write_notification(out.method, "{}");
    return out;
}

void Protocol::read_capabilities(const std::string& result_json) {
    std::string body = result_json;
    tells_changes_ = false;
    json::ondemand::document document;
    bool flag = false;
    if (parser_->parse(Padded::of(body), document)) return;
    if (!document.at_pointer("/capabilities/tools/listChanged").get_bool().get(flag))
        tells_changes_ = flag;
}

Outgoing Protocol::list_tools(std::string_view cursor) {
    std::string params;
    json::Writer writer(params);
    writer.begin_object();
    if (!cursor.empty()) writer.key("cursor").string(cursor);
    append_meta(params, {});
    return request("tools/list", params += '}');
}

Outgoing Protocol::call_tool(const Tool& tool, const ToolCall& call, std::string_view nonce) {
    std::string params;
    json::Writer writer(params);
    std::string arguments;
    json::append_compact(arguments, call.arguments_json);
    writer.begin_object().key("name").string(tool.name).key("arguments").raw(arguments);
    // The next id is the token too: one that nobody else has.
    std::string more = fmt::format(R"("progressToken":{})", last_id_ + 1);
    json::Writer more_writer(more);
    if (!call.user.empty()) more_writer.key("user").string(call.user);
    if (!call.metadata_json.empty()) {
        std::string metadata;
        json::append_compact(metadata, call.metadata_json);
        more_writer.key("metadata").raw(metadata);
    }
    if (!call.traceparent.empty()) more_writer.key("traceparent").string(call.traceparent);
    if (!nonce.empty()) more_writer.key("_aiv_nonce").string(nonce);
    append_meta(params, more);
    Outgoing out = request("tools/call", params += '}');
    if (era_ == Era::modern) {
        out.headers.push_back({"Mcp-Name", header_value(tool.name)});
        append_param_headers(parser_, tool.headers, call.arguments_json, out.headers);
    }
    return out;
}

Outgoing Protocol::cancelled(std::int64_t id, std::string_view reason) {
    std::string params;
    json::Writer(params)
        .begin_object()
        .key("requestId")
        .number(id)
        .key("reason")
        .string(reason)
        .end_object();
    Outgoing out{0, "notifications/cancelled", {}, {}};
    out.json = write_notification(out.method, params);
    if (!version_.empty()) out.headers = {{"MCP-Protocol-Version", version_}};
    return out;
}

Outgoing Protocol::listen() {
    std::string params = R"({"notifications":{"toolsListChanged":true})";
    append_meta(params, {});
    return request("subscriptions/listen", params += '}');
}

Outgoing Protocol::answer_to(const Message& request) const {
    Outgoing out;
    if (!version_.empty()) out.headers = {{"MCP-Protocol-Version", version_}};
    if (request.method == "ping") {
        out.json = write_result(request.id_json, "{}");
    } else if (request.method == "roots/list") {
        out.json = write_result(request.id_json, R"({"roots":[]})");
    } else {
        out.json = write_error(
            request.id_json, method_not_found,
            fmt::format("this client does not offer {}", utf8_prefix(request.method, 128)));
    }
    return out;
}

}  // namespace runnel::tools::mcp
