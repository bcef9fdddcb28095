#include "api/messages/messages_stream.hpp"

#include "api/messages/messages_answer.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

namespace runnel::api::messages {
namespace {

constexpr std::string_view delta_kind(ItemHead::Kind kind) {
    switch (kind) {
        case ItemHead::Kind::reasoning: return R"("type":"thinking_delta","thinking":")";
        case ItemHead::Kind::tool_call: return R"("type":"input_json_delta","partial_json":")";
        case ItemHead::Kind::text:
        case ItemHead::Kind::refusal: break;
    }
    return R"("type":"text_delta","text":")";
}

}  // namespace

MessagesStream::MessagesStream(const Envelope& envelope, std::string* out)
    : out_(*out),
      envelope_(envelope) {}

void MessagesStream::on(const timeline::Event& event) {
    using namespace timeline;
    if (failed_) return;
    // Before the first thing that shows, and before an end without any.
    if (!started_ &&
        (is_visible(event) || std::holds_alternative<ReasoningSigned>(event) ||
         std::holds_alternative<ReasoningEncrypted>(event) ||
         std::holds_alternative<Finished>(event) || std::holds_alternative<Ended>(event)))
        start();
    const bool hides_reasoning = envelope_.reasoning == Envelope::Reasoning::hidden;
    std::visit(Overload{
                   [&](const Text& e) { tell(e); },
                   [&](const Reasoning& e) {
                       if (!hides_reasoning) tell(e);
                   },
                   [&](const ReasoningSigned& e) { tell(e); },
                   [&](const ReasoningEncrypted& e) { tell(e); },
                   [&](const Refusal& e) { tell(e); },
                   [&](const ItemEnded& e) { tell(e); },
                   [&](const ToolStarted& e) { tell(e); },
                   [&](const ToolArguments& e) { tell(e); },
                   [&](const ToolEnded& e) { tell(e); },
                   [&](const Citation& e) { tell(e); },
                   [&](const UsageReported& e) { usage_ = e.usage; },
                   [&](const Finished& e) {
                       if (e.choice != 0) return;
                       finish_ = e.finish;
                       stop_sequence_ = e.stop_sequence;
                   },
                   [&](const Failed& e) {
                       failed_ = true;
                       out_ += "event: error\ndata: ";
                       out_ += error_body(e.error);
                       out_ += "\n\n";
                   },
                   [&](const Ended&) { end(); },
                   // Not in this API, or the gateway's own business.
                   [](const Started&) {},
                   [](const ServerTool&) {},
                   [](const HoldOver&) {},
                   [](const Media&) {},
                   [](const Logprobs&) {},
                   [](const ProviderState&) {},
               },
               event);
}

void MessagesStream::begin_frame(std::string_view type) {
    fmt::format_to(std::back_inserter(out_), R"(event: {0}{1}data: {{"type":"{0}")", type, '\n');
}

void MessagesStream::begin_block_frame(std::string_view type) {
    begin_frame(type);
    fmt::format_to(std::back_inserter(out_), R"(,"index":{})", index_);
}

void MessagesStream::start() {
    started_ = true;
    begin_frame("message_start");
    json::Writer writer(out_);
    writer.key("message").begin_object().key("id").string(envelope_.id);
    writer.key("type").string("message").key("role").string("assistant");
    writer.key("model").string(envelope_.model).key("content").begin_array().end_array();
    writer.key("stop_reason").null().key("stop_sequence").null().key("usage");
    // Most providers count at the end; what is told then stands in its place.
    append_usage(out_, usage_);
    writer.end_object();
    end_frame();
}

void MessagesStream::begin_item(const ItemHead& head) {
    ++index_;
    begin_block_frame("content_block_start");
    json::Writer writer(out_);
    writer.key("content_block").begin_object().key("type");
    switch (head.kind) {
        case ItemHead::Kind::text:
        case ItemHead::Kind::refusal: writer.string("text").key("text").string(""); break;
        case ItemHead::Kind::reasoning:
            writer.string("thinking").key("thinking").string("").key("signature").string("");
            break;
        case ItemHead::Kind::tool_call:
            writer.string("tool_use").key("id").string(head.call_id).key("name").string(head.name);
            writer.key("input").begin_object().end_object();
            break;
    }
    writer.end_object();
    end_frame();
    delta_begin_ = fmt::format(
        R"(event: content_block_delta{}data: {{"type":"content_block_delta","index":{},"delta":{{{})",
        '\n', index_, delta_kind(head.kind));
}

void MessagesStream::add(std::string_view escaped) {
    out_ += delta_begin_;
    out_ += escaped;
    out_ += "\"}}\n\n";
}

void MessagesStream::cite(const timeline::Citation& citation) {
    begin_block_frame("content_block_delta");
    out_ += R"(,"delta":{"type":"citations_delta","citation":)";
    append_citation(out_, citation);
    out_ += '}';
    end_frame();
}

void MessagesStream::sign(const timeline::ReasoningSigned& signature) {
    begin_block_frame("content_block_delta");
    out_ += R"(,"delta":{"type":"signature_delta","signature":")";
    append_signature(out_, signature.issuer, signature.signature);
    out_ += "\"}";
    end_frame();
}

void MessagesStream::end_item() {
    begin_block_frame("content_block_stop");
    end_frame();
}

void MessagesStream::write_encrypted(const timeline::ReasoningEncrypted& reasoning) {
    ++index_;
    begin_block_frame("content_block_start");
    out_ += R"(,"content_block":{"type":"redacted_thinking","data":")";
    append_signature(out_, reasoning.issuer, reasoning.data);
    out_ += "\"}";
    end_frame();
    end_item();
}

void MessagesStream::end() {
    items_.finish();
    begin_frame("message_delta");
    json::Writer writer(out_);
    writer.key("delta").begin_object().key("stop_reason");
    writer.string(stop_reason(finish_, stop_sequence_)).key("stop_sequence");
    stop_sequence_.empty() ? writer.null() : writer.escaped(stop_sequence_);
    writer.end_object().key("usage");
    append_usage(out_, usage_);
    end_frame();
    begin_frame("message_stop");
    end_frame();
}

}  // namespace runnel::api::messages
