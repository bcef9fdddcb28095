#include "api/responses/output.hpp"

#include "api/responses/tools.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

namespace runnel::api::responses {
namespace {

using Kind = OutputItem::Kind;
using timeline::Citation;

std::string_view id_begin(Kind kind) {
    switch (kind) {
        case Kind::reasoning: return "rs";
        case Kind::function_call: return "fc";
        case Kind::custom_call: return "ctc";
        case Kind::text:
        case Kind::refusal: break;
    }
    return "msg";
}

std::string_view status_word(ItemStatus status) {
    switch (status) {
        case ItemStatus::in_progress: return "in_progress";
        case ItemStatus::completed: return "completed";
        case ItemStatus::incomplete: return "incomplete";
    }
    return "completed";
}

void append_thought(std::string& out, const OutputItem& item, ItemStatus status) {
    json::Writer writer(out);
    writer.begin_object().key("id").string(item.id).key("type").string("reasoning");
    writer.key("summary").begin_array();
    const bool is_begun = status == ItemStatus::in_progress;
    if (!is_begun && !item.text.empty()) append_summary_part(out, item.text);
    writer.end_array();
    if (!is_begun && !item.sealed.empty()) writer.key("encrypted_content").escaped(item.sealed);
    writer.end_object();
}

void append_message(std::string& out, const OutputItem& item, ItemStatus status) {
    json::Writer writer(out);
    writer.begin_object().key("id").string(item.id).key("type").string("message");
    writer.key("status").string(status_word(status)).key("role").string("assistant");
    writer.key("content").begin_array();
    if (status != ItemStatus::in_progress) append_content_part(out, item);
    writer.end_array().end_object();
}

void append_call(std::string& out, const OutputItem& item, ItemStatus status) {
    const bool is_custom = item.kind == Kind::custom_call;
    json::Writer writer(out);
    writer.begin_object().key("id").string(item.id).key("type");
    is_custom ? writer.string("custom_tool_call") : writer.string("function_call");
    writer.key("status").string(status_word(status));
    writer.key("call_id").string(item.call_id).key("name").string(item.name);
    if (!item.group.empty()) writer.key("namespace").string(item.group);
    is_custom ? writer.key("input") : writer.key("arguments");
    writer.escaped(status == ItemStatus::in_progress ? std::string_view() : item.text);
    writer.end_object();
}

// Clients insist on every member, also of the alternatives.
void write_token(json::Writer& writer, const timeline::TokenLogprob& token) {
    std::string bytes;
    json::append_compact(bytes, token.bytes_raw);
    writer.key("token").escaped(token.token).key("logprob").raw(token.logprob_raw);
    writer.key("bytes").raw(bytes.empty() || bytes == "null" ? "[]" : bytes);
}

// The text in {"input":"…"}, which is how models that know functions alone call custom tools.
std::string custom_input(std::string_view arguments_escaped) {
    std::string arguments = json::unescaped(arguments_escaped);
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::value input;
    std::string_view escaped;
    const bool found = json::is_whole(arguments) &&
                       !parser.parse_strict(Padded::of(arguments), document) &&
                       !document["input"].get(input) && json::escaped_string(input, escaped);
    return std::string(found ? escaped : arguments_escaped);
}

}  // namespace

void append_item(std::string& out, const OutputItem& item, ItemStatus status) {
    switch (item.kind) {
        case Kind::reasoning: return append_thought(out, item, status);
        case Kind::text:
        case Kind::refusal: return append_message(out, item, status);
        case Kind::function_call:
        case Kind::custom_call: return append_call(out, item, status);
    }
}

void append_content_part(std::string& out, const OutputItem& item) {
    json::Writer writer(out);
    writer.begin_object();
    if (item.kind == Kind::refusal) {
        writer.key("type").string("refusal").key("refusal").escaped(item.text).end_object();
        return;
    }
    writer.key("type").string("output_text").key("text").escaped(item.text);
    writer.key("annotations").begin_array().raw(item.annotations).end_array();
    writer.key("logprobs").begin_array().raw(item.logprobs).end_array().end_object();
}

void append_summary_part(std::string& out, std::string_view text_escaped) {
    json::Writer(out)
        .begin_object()
        .key("type")
        .string("summary_text")
        .key("text")
        .escaped(text_escaped)
        .end_object();
}

bool has_annotation(const Citation& citation) {
    return citation.kind != Citation::Kind::address || !citation.url.empty() ||
           !citation.file_id.empty();
}

// What is no page is a file: one of the request's own documents, which may have no id, or an entry
// of a search of the client's.
void add_annotation(std::string& list, const Citation& citation) {
    json::Writer writer(list);
    writer.begin_object().key("type");
    const bool is_page = citation.kind == Citation::Kind::search_result
                             ? citation.url.starts_with("http")
                             : !citation.url.empty();
    if (!is_page) {
        writer.string("file_citation").key("file_id");
        writer.escaped(citation.file_id.empty() ? citation.url : citation.file_id);
        writer.key("filename").escaped(citation.title);
        writer.key("index").number(citation.text_end.value_or(0)).end_object();
        return;
    }
    writer.string("url_citation");
    writer.key("start_index").number(citation.text_start.value_or(0));
    writer.key("end_index").number(citation.text_end.value_or(0));
    writer.key("url").escaped(citation.url).key("title").escaped(citation.title).end_object();
}

void add_logprobs(std::string& list, const timeline::Logprobs& event) {
    json::Writer writer(list);
    for (const timeline::TokenLogprob& token : event.tokens) {
        writer.begin_object();
        write_token(writer, token);
        writer.key("top_logprobs").begin_array();
        for (const timeline::TokenLogprob& other : token.top) {
            writer.begin_object();
            write_token(writer, other);
            writer.end_object();
        }
        writer.end_array().end_object();
    }
}

OutputItem call_item(const chat::Request* request, std::string_view call_id,
                     std::string_view name) {
    const ClientTool tool = find_called(request, name);
    OutputItem item;
    item.kind = tool.kind == chat::Tool::Kind::custom ? Kind::custom_call : Kind::function_call;
    item.call_id = call_id;
    item.name = tool.name;
    item.group = tool.group;
    return item;
}

void complete_call(OutputItem& item) {
    if (item.kind == Kind::custom_call) {
        item.text = custom_input(item.text);
    } else if (item.text.empty() || item.text == "null") {
        item.text = "{}";
    }
}

std::string item_id(std::string_view response_id, Kind kind, int index) {
    const std::size_t prefix = response_id.find('_');
    const std::string_view own =
        prefix == std::string_view::npos ? response_id : response_id.substr(prefix + 1);
    return fmt::format("{}_{}_{}", id_begin(kind), own, index);
}

}  // namespace runnel::api::responses
