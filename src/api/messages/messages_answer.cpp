#include "api/messages/messages_answer.hpp"

#include "api/issued.hpp"
#include "base/utf8.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <utility>

namespace runnel::api::messages {
namespace {

using timeline::Answer;
using timeline::Citation;

// What a model wrote may be anything; clients of this API take objects only.
void write_input(json::Writer& writer, std::string_view arguments_escaped) {
    const std::string arguments = json::unescaped(arguments_escaped);
    if (arguments.starts_with('{') && json::is_whole(arguments)) {
        writer.raw(arguments);
    } else if (arguments.empty()) {
        writer.begin_object().end_object();
    } else {
        writer.begin_object().key("_raw").string(arguments).end_object();
    }
}

void write_text(json::Writer& writer, std::string& out, const Answer::Text& text) {
    writer.begin_object().key("type").string("text").key("text").escaped(text.text_escaped);
    bool any = false;
    for (const timeline::Event& event : text.citations.events()) {
        if (const auto* citation = std::get_if<Citation>(&event)) {
            if (!any) writer.key("citations").begin_array();
            any = true;
            append_citation(out, *citation);
        }
    }
    if (any) writer.end_array();
}

void write_signature(json::Writer& writer, std::string_view issuer, std::string_view data) {
    std::string carried;
    if (!data.empty()) append_signature(carried, issuer, data);
    writer.escaped(carried);
}

std::string_view our_name() { return chat::name_of(chat::Api::messages); }

timeline::NativeJson view(const Answer::NativeJson& json) { return {json.api, json.raw}; }

// What stands in `additions` as pieces of its input is put together.
void write_native(json::Writer& writer, const Answer::Native& item) {
    std::string input;
    json::Parser parser;
    for (std::string addition : item.additions_raw) {
        json::ondemand::document document;
        std::string_view piece;
        if (parser.parse(Padded::of(addition), document) ||
            document["partial_json"].get_string().get(piece))
            continue;
        input += piece;
    }
    constexpr std::string_view empty = R"("input":{})";
    std::string raw = item.json.raw;
    const std::size_t at = raw.find(empty);
    if (json::is_whole(input) && at != std::string::npos)
        raw.replace(at, empty.size(), R"("input":)" + input);
    writer.raw(raw);
}

void write_item(json::Writer& writer, std::string& out, const Answer::Item& item,
                std::string_view fields, bool hides_reasoning) {
    const auto end = [&] {
        if (!fields.empty() && is_ours({our_name(), fields})) append_members(out, fields);
        writer.end_object();
    };
    std::visit(timeline::Overload{
                   [&](const Answer::Text& text) {
                       write_text(writer, out, text);
                       end();
                   },
                   [&](const Answer::Reasoning& thought) {
                       if (hides_reasoning && thought.signature_escaped.empty()) return;
                       writer.begin_object().key("type").string("thinking").key("thinking");
                       writer.escaped(hides_reasoning ? std::string_view() : thought.text_escaped);
                       writer.key("signature");
                       write_signature(writer, thought.issuer, thought.signature_escaped);
                       end();
                   },
                   [&](const Answer::EncryptedReasoning& thought) {
                       writer.begin_object().key("type").string("redacted_thinking");
                       writer.key("data");
                       write_signature(writer, thought.issuer, thought.data_escaped);
                       end();
                   },
                   [&](const Answer::Refusal& refusal) {
                       writer.begin_object().key("type").string("text").key("text");
                       writer.escaped(refusal.text_escaped);
                       end();
                   },
                   [&](const Answer::ToolCall& call) {
                       writer.begin_object().key("type").string("tool_use");
                       writer.key("id").string(call.id).key("name").string(call.name);
                       writer.key("input");
                       write_input(writer, call.arguments_escaped);
                       end();
                   },
                   [&](const Answer::Native& native) {
                       if (is_ours(view(native.json))) write_native(writer, native);
                   },
                   // The gateway's own tools are not for the client to see.
                   [](const Answer::ServerTool&) {},
                   [](const Answer::Media&) {},
               },
               item);
}

std::string_view error_type(const ErrorShape& shape, ErrorKind kind) {
    switch (kind) {
        case ErrorKind::insufficient_balance:
        case ErrorKind::key_spend_limit_reached: return "billing_error";
        case ErrorKind::overloaded:
        case ErrorKind::upstream_overloaded: return "overloaded_error";
        default: break;
    }
    switch (shape.status) {
        case 401: return "authentication_error";
        case 402: return "billing_error";
        case 403: return "permission_error";
        case 404: return "not_found_error";
        case 413: return "request_too_large";
        case 429: return "rate_limit_error";
        case 504: return "timeout_error";
        default: break;
    }
    return shape.status < 500 ? "invalid_request_error" : "api_error";
}

std::string_view kind_name(Citation::Kind kind) {
    switch (kind) {
        case Citation::Kind::address: return "web_search_result_location";
        case Citation::Kind::characters: return "char_location";
        case Citation::Kind::pages: return "page_location";
        case Citation::Kind::blocks: return "content_block_location";
        case Citation::Kind::search_result: return "search_result_location";
    }
    return "web_search_result_location";
}

}  // namespace

bool is_ours(const timeline::NativeJson& json) {
    return json.api == chat::name_of(chat::Api::messages) && json.raw.starts_with('{') &&
           json.raw.ends_with('}');
}

void append_members(std::string& out, std::string_view object_raw) {
    const std::string_view members = object_raw.substr(1, object_raw.size() - 2);
    if (members.find_first_not_of(' ') == std::string_view::npos) return;
    if (!out.ends_with('{')) out += ',';
    out += members;
}

std::string_view stop_reason(timeline::Finish finish, std::string_view stop_sequence,
                             std::string_view native) {
    // Several of its words mean the same to others.
    const bool is_length = finish == timeline::Finish::length;
    if (is_length && native == "model_context_window_exceeded") return native;
    if (is_length && native == "compaction") return native;
    switch (finish) {
        case timeline::Finish::stop: return stop_sequence.empty() ? "end_turn" : "stop_sequence";
        case timeline::Finish::length: return "max_tokens";
        case timeline::Finish::tool_calls: return "tool_use";
        case timeline::Finish::content_filter: return "refusal";
        case timeline::Finish::pause: return "pause_turn";
    }
    return "end_turn";
}

void append_usage(std::string& out, const std::optional<timeline::Usage>& usage) {
    const timeline::Usage counted = usage.value_or(timeline::Usage{});
    json::Writer(out)
        .begin_object()
        .key("input_tokens")
        .number(counted.fresh_input)
        .key("cache_creation_input_tokens")
        .number(counted.cache_write.value_or(0))
        .key("cache_read_input_tokens")
        .number(counted.cache_read.value_or(0))
        .key("output_tokens")
        .number(counted.output)
        .end_object();
}

void append_citation(std::string& out, const Citation& citation) {
    if (is_ours(citation.native)) {
        json::Writer(out).raw(citation.native.raw);
        return;
    }
    json::Writer writer(out);
    writer.begin_object().key("type").string(kind_name(citation.kind));
    writer.key("cited_text").escaped(citation.cited_text);
    const auto range = [&](json::Literal first, json::Literal last) {
        writer.key("document_index").number(citation.document.value_or(0));
        writer.key("document_title");
        citation.title.empty() ? writer.null() : writer.escaped(citation.title);
        writer.key(first).number(citation.start.value_or(0));
        writer.key(last).number(citation.end.value_or(0));
        writer.key("file_id");
        citation.file_id.empty() ? writer.null() : writer.escaped(citation.file_id);
    };
    switch (citation.kind) {
        case Citation::Kind::characters: range("start_char_index", "end_char_index"); break;
        case Citation::Kind::pages: range("start_page_number", "end_page_number"); break;
        case Citation::Kind::blocks: range("start_block_index", "end_block_index"); break;
        case Citation::Kind::address:
            writer.key("url").escaped(citation.url).key("title");
            citation.title.empty() ? writer.null() : writer.escaped(citation.title);
            writer.key("encrypted_index").escaped(citation.reference);
            break;
        case Citation::Kind::search_result:
            writer.key("source").escaped(citation.url).key("title");
            citation.title.empty() ? writer.null() : writer.escaped(citation.title);
            writer.key("search_result_index").number(citation.document.value_or(0));
            writer.key("start_block_index").number(citation.start.value_or(0));
            writer.key("end_block_index").number(citation.end.value_or(0));
            break;
    }
    writer.end_object();
}

void append_signature(std::string& out, std::string_view issuer, std::string_view data) {
    const bool is_anthropics = issuer == "anthropic" || issuer.starts_with("anthropic/");
    is_anthropics ? (void)out.append(data) : append_issued(out, issuer, data);
}

std::string whole_answer(const Envelope& envelope, const Answer& answer) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("id").string(envelope.id).key("type").string("message");
    writer.key("role").string("assistant").key("model").string(envelope.model);
    writer.key("content").begin_array();
    const Answer::Choice none;
    const Answer::Choice& choice = answer.choices.empty() ? none : answer.choices.front();
    const bool hides_reasoning = envelope.reasoning == Envelope::Reasoning::hidden;
    for (std::size_t i = 0; i < choice.items.size(); ++i)
        write_item(writer, out, choice.items[i], choice.fields_of(i, our_name()), hides_reasoning);
    writer.end_array();
    const std::string_view sequence = choice.stop_sequence_escaped;
    writer.key("stop_reason");
    writer.string(stop_reason(choice.finish.value_or(timeline::Finish::stop), sequence,
                              choice.native_finish));
    writer.key("stop_sequence");
    sequence.empty() ? writer.null() : writer.escaped(sequence);
    writer.key("usage");
    if (is_ours(view(answer.native_usage))) {
        out += answer.native_usage.raw;
    } else {
        append_usage(out, answer.usage);
    }
    for (const auto* all : {&answer.native_fields, &choice.finish_fields})
        for (const Answer::NativeJson& fields : *all)
            if (is_ours(view(fields))) append_members(out, fields.raw);
    writer.end_object();
    return out;
}

int error_status(const Error& error) {
    const NativeError* native = error.native_in(our_name());
    if (native != nullptr && native->status >= 400) return native->status;
    return error_type(shape_of(error.kind), error.kind) == "overloaded_error"
               ? 529
               : shape_of(error.kind).status;
}

std::string error_body(const Error& error) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("type").string("error").key("error").begin_object();
    const NativeError* native = error.native_in(our_name());
    const std::string_view type = error_type(shape_of(error.kind), error.kind);
    writer.key("type").string(native != nullptr ? std::string_view(native->type) : type);
    // It may repeat what the client sent, such as a path, and JSON is UTF-8 whatever that was.
    writer.key("message").string(
        with_valid_utf8(native != nullptr ? native->message : error.message));
    writer.end_object().end_object();
    return out;
}

}  // namespace runnel::api::messages
