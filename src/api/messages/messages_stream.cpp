#include "api/messages/messages_stream.hpp"

#include "api/messages/messages_answer.hpp"
#include "base/ascii.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

// It becomes a line of the stream.
bool is_event_name(std::string_view type) {
    return !type.empty() && type.size() <= 64 && std::ranges::all_of(type, [](char c) {
        return ascii::is_alphanumeric(c) || c == '_' || c == '.';
    });
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
                   [&](const ItemEnded& e) {
                       if (e.choice == 0) close_native();
                       tell(e);
                   },
                   [&](const ToolStarted& e) { tell(e); },
                   [&](const ToolArguments& e) { tell(e); },
                   [&](const ToolEnded& e) { tell(e); },
                   [&](const Citation& e) { tell(e); },
                   [&](const Native& e) { on_native(e); },
                   [&](const UsageReported& e) {
                       usage_ = e.usage;
                       native_usage_.clear();
                   },
                   [&](const Finished& e) {
                       if (e.choice != 0) return;
                       finish_ = e.finish;
                       native_finish_ = e.native;
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

std::size_t MessagesStream::held_bytes() const {
    std::size_t bytes = items_.held_bytes() + native_usage_.size() + fields_of_next_.size();
    for (const auto* all : {&fields_of_answer_, &fields_of_finish_})
        for (const std::string& fields : *all) bytes += fields.size();
    return bytes;
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
    if (first_native_usage_.empty())
        append_usage(out_, usage_);
    else
        out_ += std::exchange(first_native_usage_, {});
    for (const std::string& fields : std::exchange(fields_of_answer_, {}))
        append_members(out_, fields);
    writer.end_object();
    end_frame();
}

// Blocks, and what else only this API has words for, as Anthropic said it.
void MessagesStream::on_native(const timeline::Native& event) {
    using What = timeline::Native::What;
    const std::string_view raw = event.json.raw;
    if (!is_ours(event.json) || event.choice != 0) return;
    switch (event.what) {
        case What::item:
            close_native();
            items_.on(timeline::ItemEnded{0});
            if (item_is_open_) return;  // a call of a tool, which may not be cut in two
            fields_of_next_.clear();
            ++index_;
            begin_block_frame("content_block_start");
            out_.append(R"(,"content_block":)").append(raw);
            end_frame();
            native_is_open_ = true;
            return;
        case What::addition:
            if (!native_is_open_ && !item_is_open_) return;
            begin_block_frame("content_block_delta");
            out_.append(R"(,"delta":)").append(raw);
            end_frame();
            return;
        case What::item_fields: fields_of_next_ = raw; return;
        case What::answer: fields_of_answer_.emplace_back(raw); return;
        case What::finish: fields_of_finish_.emplace_back(raw); return;
        case What::usage:
            native_usage_ = raw;
            if (!started_ && first_native_usage_.empty()) first_native_usage_ = raw;
            return;
        case What::event: write_event(raw); return;
    }
}

// One of a kind that nobody here knows.
void MessagesStream::write_event(std::string_view raw) {
    std::string body(raw);
    json::Parser parser;
    json::ondemand::document document;
    std::string_view type;
    if (!started_ || parser.parse(Padded::of(body), document) ||
        document["type"].get_string().get(type) || !is_event_name(type))
        return;
    out_.append("event: ").append(type).append("\ndata: ").append(raw).append("\n\n");
}

void MessagesStream::close_native() {
    if (!std::exchange(native_is_open_, false)) return;
    begin_block_frame("content_block_stop");
    end_frame();
}

void MessagesStream::begin_item(const ItemHead& head) {
    close_native();
    item_is_open_ = true;
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
    if (!fields_of_next_.empty()) append_members(out_, std::exchange(fields_of_next_, {}));
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
    item_is_open_ = false;
    begin_block_frame("content_block_stop");
    end_frame();
}

void MessagesStream::write_encrypted(const timeline::ReasoningEncrypted& reasoning) {
    close_native();
    ++index_;
    begin_block_frame("content_block_start");
    out_ += R"(,"content_block":{"type":"redacted_thinking","data":")";
    append_signature(out_, reasoning.issuer, reasoning.data);
    out_ += "\"}";
    end_frame();
    end_item();
}

void MessagesStream::end() {
    close_native();
    items_.finish();
    begin_frame("message_delta");
    json::Writer writer(out_);
    writer.key("delta").begin_object().key("stop_reason");
    writer.string(stop_reason(finish_, stop_sequence_, native_finish_)).key("stop_sequence");
    stop_sequence_.empty() ? writer.null() : writer.escaped(stop_sequence_);
    for (const std::string& fields : fields_of_finish_) append_members(out_, fields);
    writer.end_object().key("usage");
    native_usage_.empty() ? append_usage(out_, usage_) : (void)out_.append(native_usage_);
    for (const std::string& fields : fields_of_answer_) append_members(out_, fields);
    end_frame();
    begin_frame("message_stop");
    end_frame();
}

}  // namespace runnel::api::messages
