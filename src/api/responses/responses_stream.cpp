#include "api/responses/responses_stream.hpp"

#include "api/responses/request.hpp"
#include "api/responses/sealed.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <utility>

namespace runnel::api::responses {
namespace {

std::string_view delta_type(OutputItem::Kind kind) {
    switch (kind) {
        case OutputItem::Kind::reasoning: return "response.reasoning_summary_text.delta";
        case OutputItem::Kind::text: return "response.output_text.delta";
        case OutputItem::Kind::refusal: return "response.refusal.delta";
        case OutputItem::Kind::function_call: return "response.function_call_arguments.delta";
        case OutputItem::Kind::custom_call: return "response.custom_tool_call_input.delta";
    }
    return "response.output_text.delta";
}

constexpr int queued_events = 2;  // of queued_stream

void append_event_begin(std::string& out, std::string_view type, std::int64_t number) {
    // Once for every piece of text: nothing is parsed here.
    const fmt::format_int digits(number);
    out.append("event: ").append(type).append("\ndata: {\"type\":\"").append(type);
    out.append(R"(","sequence_number":)").append(digits.data(), digits.size());
}

// Which part of the item its events are about, as a member.
std::string_view part_index(OutputItem::Kind kind) {
    switch (kind) {
        case OutputItem::Kind::reasoning: return R"(,"summary_index":0)";
        case OutputItem::Kind::text:
        case OutputItem::Kind::refusal: return R"(,"content_index":0)";
        case OutputItem::Kind::function_call:
        case OutputItem::Kind::custom_call: break;
    }
    return {};
}

// What tells nothing of the answer yet does not begin it.
bool begins_answer(const timeline::Event& event) {
    using namespace timeline;
    return is_visible(event) || std::holds_alternative<ReasoningSigned>(event) ||
           std::holds_alternative<ReasoningEncrypted>(event) ||
           std::holds_alternative<Failed>(event) || std::holds_alternative<Ended>(event);
}

}  // namespace

ResponsesStream::ResponsesStream(const Envelope& envelope, std::string* out)
    : out_(*out),
      envelope_(envelope),
      response_(envelope),
      sequence_(envelope.request != nullptr && envelope.request->conversation.in_background
                    ? queued_events
                    : 0) {}

std::size_t ResponsesStream::held_bytes() const {
    return items_.held_bytes() + response_.bytes() + output_.size() + item_.bytes() +
           waiting_logprobs_.size();
}

void ResponsesStream::on(const timeline::Event& event) {
    using namespace timeline;
    if (!started_ && begins_answer(event)) start();
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
                   [&](const Logprobs& e) {
                       if (e.choice == 0 && e.of == Logprobs::Of::text)
                           add_logprobs(waiting_logprobs_, e);
                   },
                   [&](const UsageReported& e) { usage_ = e.usage; },
                   [&](const Finished& e) {
                       if (e.choice == 0) finish_ = e.finish;
                   },
                   [&](const Failed& e) { fail(e.error); },
                   [&](const Ended&) { end(); },
                   // Not in this API, or the gateway's own business.
                   [](const Started&) {},
                   [](const ServerTool&) {},
                   [](const HoldOver&) {},
                   [](const Media&) {},
                   [](const ProviderState&) {},
                   [](const Native&) {},
               },
               event);
}

void ResponsesStream::begin_event(std::string_view type) {
    append_event_begin(out_, type, sequence_++);
}

void ResponsesStream::begin_item_event(std::string_view type) {
    begin_event(type);
    out_ += place_;
}

void ResponsesStream::write_item_event(std::string_view type, ItemStatus status) {
    begin_event(type);
    fmt::format_to(std::back_inserter(out_), R"(,"output_index":{},"item":)", index_);
    append_item(out_, item_, status);
    end_event();
}

void ResponsesStream::write_part_event(std::string_view type) {
    begin_item_event(type);
    out_ += R"(,"part":)";
    item_.kind == Kind::reasoning ? append_summary_part(out_, item_.text)
                                  : append_content_part(out_, item_);
    end_event();
}

void ResponsesStream::begin_text_event(std::string_view type, std::string_view member) {
    begin_item_event(type);
    fmt::format_to(std::back_inserter(out_), R"(,"{}":"{}")", member, item_.text);
}

void ResponsesStream::write_response_event(std::string_view type, const State& state) {
    begin_event(type);
    out_ += R"(,"response":)";
    response_.append(out_, state);
    end_event();
}

void ResponsesStream::start() {
    started_ = true;
    const State state{.status = State::Status::in_progress};
    if (sequence_ == 0) write_response_event("response.created", state);
    write_response_event("response.in_progress", state);
}

void ResponsesStream::open_item(OutputItem item) {
    ++index_;
    annotations_ = 0;
    item_ = std::move(item);
    if (item_.id.empty()) item_.id = item_id(envelope_.id, item_.kind, index_);
    place_ = R"(,"item_id":")";
    json::append_escaped(place_, item_.id);
    place_ += fmt::format(R"(","output_index":{}{})", index_, part_index(item_.kind));
    write_item_event("response.output_item.added", ItemStatus::in_progress);
}

void ResponsesStream::begin_item(const ItemHead& head) {
    switch (head.kind) {
        case ItemHead::Kind::reasoning: return open_item({.kind = Kind::reasoning});
        case ItemHead::Kind::tool_call:
            return open_item(call_item(envelope_.request, head.call_id, head.name));
        case ItemHead::Kind::text: open_item({.kind = Kind::text}); break;
        case ItemHead::Kind::refusal: open_item({.kind = Kind::refusal}); break;
    }
    write_part_event("response.content_part.added");
}

void ResponsesStream::add(std::string_view escaped) {
    if (escaped.empty()) return;
    const bool is_first = item_.text.empty();
    // Reasoning may also be a signature alone.
    if (item_.kind == Kind::reasoning && is_first)
        write_part_event("response.reasoning_summary_part.added");
    item_.text += escaped;
    // A custom tool's input is known when the call is whole.
    if (item_.kind != Kind::custom_call) write_delta(escaped);
}

void ResponsesStream::write_delta(std::string_view escaped) {
    begin_item_event(delta_type(item_.kind));
    out_ += R"(,"delta":")";
    out_ += escaped;
    out_ += '"';
    if (item_.kind == Kind::text) {
        out_ += R"(,"logprobs":[)";
        out_ += waiting_logprobs_;
        out_ += ']';
        if (!waiting_logprobs_.empty()) {
            if (!item_.logprobs.empty()) item_.logprobs += ',';
            item_.logprobs += std::exchange(waiting_logprobs_, {});
        }
    }
    end_event();
}

void ResponsesStream::cite(const timeline::Citation& citation) {
    if (!has_annotation(citation)) return;
    std::string annotation;
    add_annotation(annotation, citation);
    begin_item_event("response.output_text.annotation.added");
    fmt::format_to(std::back_inserter(out_), R"(,"annotation_index":{},"annotation":{})",
                   annotations_++, annotation);
    end_event();
    if (!item_.annotations.empty()) item_.annotations += ',';
    item_.annotations += annotation;
}

void ResponsesStream::sign(const timeline::ReasoningSigned& signature) {
    append_sealed(item_.sealed, Seal::signature, signature.issuer, signature.signature);
}

void ResponsesStream::close_text() {
    switch (item_.kind) {
        case Kind::reasoning:
            if (item_.text.empty()) return;
            begin_text_event("response.reasoning_summary_text.done", "text");
            end_event();
            return write_part_event("response.reasoning_summary_part.done");
        case Kind::text:
            begin_text_event("response.output_text.done", "text");
            out_.append(R"(,"logprobs":[)").append(item_.logprobs).append("]");
            end_event();
            return write_part_event("response.content_part.done");
        case Kind::refusal:
            begin_text_event("response.refusal.done", "refusal");
            end_event();
            return write_part_event("response.content_part.done");
        case Kind::function_call:
            begin_text_event("response.function_call_arguments.done", "arguments");
            json::Writer(out_).key("name").string(item_.name);
            return end_event();
        case Kind::custom_call:
            begin_text_event("response.custom_tool_call_input.done", "input");
            return end_event();
    }
}

void ResponsesStream::end_item() {
    const bool is_call = item_.kind == Kind::function_call || item_.kind == Kind::custom_call;
    if (is_call) {
        const bool is_untold = item_.text.empty() || item_.kind == Kind::custom_call;
        // What has been told stays what it is.
        if (is_untold) complete_call(item_);
        if (is_untold && !item_.text.empty()) write_delta(item_.text);
    }
    close_text();
    // What is open when the answer is cut off is cut off too.
    const ItemStatus status = status_of(finish_) == State::Status::incomplete
                                  ? ItemStatus::incomplete
                                  : ItemStatus::completed;
    write_item_event("response.output_item.done", status);
    append_item(output_, item_, status);
    item_ = {};
}

void ResponsesStream::write_encrypted(const timeline::ReasoningEncrypted& reasoning) {
    // Its issuer knows it by its own id only.
    open_item({.kind = Kind::reasoning, .id = std::string(reasoning.id)});
    append_sealed(item_.sealed, Seal::encrypted, reasoning.issuer, reasoning.data);
    end_item();
}

// An error event of its own would leave some clients waiting.
void ResponsesStream::fail(const Error& error) {
    failed_ = true;
    write_response_event(
        "response.failed",
        {.status = State::Status::failed, .output = output_, .usage = usage_, .error = &error});
}

void ResponsesStream::end() {
    if (!failed_) {
        items_.finish();
        const State state{
            .status = status_of(finish_), .output = output_, .usage = usage_, .finish = finish_};
        write_response_event(state.status == State::Status::completed ? "response.completed"
                                                                      : "response.incomplete",
                             state);
    }
    out_ += "data: [DONE]\n\n";
}

std::string queued_stream(const Envelope& envelope) {
    std::string out;
    const std::string response = queued_response(envelope);
    constexpr std::array<std::string_view, queued_events> types{"response.created",
                                                                "response.queued"};
    for (std::size_t i = 0; i < types.size(); ++i) {
        append_event_begin(out, types[i], static_cast<std::int64_t>(i));
        out.append(R"(,"response":)").append(response).append("}\n\n");
    }
    return out;
}

}  // namespace runnel::api::responses
