#include "tools/mcp/message.hpp"

#include "base/limits.hpp"
#include "json/fields.hpp"
#include "json/writer.hpp"

namespace runnel::tools::mcp {
namespace {

// What the fields of a message say, before they are judged together.
struct Fields {
    Message message;
    bool has_id = false;
    bool has_result = false;
    bool has_error = false;
};

void read_error_field(json::ondemand::value value, Message& out) {
    // What is wrong with the error itself changes nothing: it stays one, with less to say.
    (void)json::for_each_field(value, [&](std::string_view name, json::ondemand::value field) {
        std::string_view raw;
        if (name == "code") {
            if (!json::integer(field, out.code)) out.code = 0;
        } else if (name == "message") {
            if (!json::plain_string(field, out.text)) out.text.clear();
        } else if (name == "data" && json::raw_value(field, raw)) {
            out.data_json = raw;
        }
    });
}

void read_field(std::string_view name, json::ondemand::value value, Fields& out) {
    Message& message = out.message;
    std::string_view raw;
    if (name == "id") {
        out.has_id = !json::is_null(value);
        if (!json::integer(value, message.id)) message.id = 0;
        if (json::raw_value(value, raw)) message.id_json = raw;
    } else if (name == "method") {
        if (!json::plain_string(value, message.method)) message.method.clear();
    } else if (name == "result") {
        out.has_result = true;
        if (json::raw_value(value, raw)) message.body_json = raw;
    } else if (name == "params") {
        if (json::raw_value(value, raw)) message.body_json = raw;
    } else if (name == "error" && !json::is_null(value)) {
        out.has_error = true;
        read_error_field(value, message);
    }
}

std::unexpected<Error> not_a_message(std::string_view why) {
    return fail(ErrorKind::upstream_malformed, std::string(why));
}

// {"jsonrpc":"2.0", and then `rest` in a writer's hands.
json::Writer begin_message(std::string& out) {
    json::Writer writer(out);
    writer.begin_object().key("jsonrpc").string("2.0");
    return writer;
}

}  // namespace

Result<Message> read_message(json::Parser* parser, Padded text) {
    json::ondemand::document document;
    json::ondemand::object object;
    if (parser->parse(text, document) || document.get_object().get(object) ||
        json::validate(object, limits::json_depth) ||
        document.current_location().error() != simdjson::OUT_OF_BOUNDS)
        return not_a_message("not a JSON object");
    document.rewind();
    if (document.get_object().get(object)) return not_a_message("not a JSON object");

    Fields fields;
    if (json::for_each_field(object, [&](std::string_view name, json::ondemand::value value) {
            read_field(name, value, fields);
        }))
        return not_a_message("not a JSON object");

    Message& message = fields.message;
    if (!message.method.empty()) {
        message.kind = fields.has_id ? Message::Kind::request : Message::Kind::notification;
    } else if (fields.has_error) {
        message.kind = Message::Kind::error;
    } else if (fields.has_result) {
        message.kind = Message::Kind::result;
    } else {
        return not_a_message("neither a request nor an answer of JSON-RPC");
    }
    return std::move(message);
}

std::string write_request(std::int64_t id, std::string_view method, std::string_view params_json) {
    std::string out;
    begin_message(out)
        .key("id")
        .number(id)
        .key("method")
        .string(method)
        .key("params")
        .raw(params_json)
        .end_object();
    return out;
}

std::string write_notification(std::string_view method, std::string_view params_json) {
    std::string out;
    begin_message(out).key("method").string(method).key("params").raw(params_json).end_object();
    return out;
}

std::string write_result(std::string_view id_json, std::string_view result_json) {
    std::string out;
    begin_message(out).key("id").raw(id_json).key("result").raw(result_json).end_object();
    return out;
}

std::string write_error(std::string_view id_json, std::int64_t code, std::string_view text) {
    std::string out;
    begin_message(out)
        .key("id")
        .raw(id_json)
        .key("error")
        .begin_object()
        .key("code")
        .number(code)
        .key("message")
        .string(text)
        .end_object()
        .end_object();
    return out;
}

}  // namespace runnel::tools::mcp
