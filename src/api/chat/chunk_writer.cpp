#include "api/chat/chunk_writer.hpp"

#include "json/text.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace runnel::api {

using timeline::Choice;

namespace {

// What a chunk that has no usage says of it, after its choices.
std::string_view no_usage(const Envelope& envelope, const ChatStyle& style) {
    const bool is_null = style.null_usage == ChatStyle::NullUsage::always ||
                         (style.null_usage == ChatStyle::NullUsage::where_asked &&
                          envelope.usage == Envelope::Usage::shown);
    return is_null ? R"(,"usage":null)" : "";
}

// Nobody knows of an answer that is told again.
int choices_asked_for(const Envelope& envelope) {
    return envelope.request == nullptr ? 1 : static_cast<int>(envelope.request->choices());
}

}  // namespace

ChunkWriter::ChunkWriter(const Envelope& envelope, const ChatStyle& style, std::string* out)
    : out_(*out),
      style_(style),
      show_reasoning_(envelope.reasoning),
      audio_id_(audio_id(envelope)),
      choices_asked_for_(choices_asked_for(envelope)),
      no_usage_(no_usage(envelope, style)) {
    json::Writer begin(chunk_begin_);
    begin.raw("data: ").begin_object();
    begin.key("id").string(envelope.id);
    begin.key("object").string("chat.completion.chunk");
    begin.key("created").number(envelope.created);
    begin.key("model").string(envelope.model);
    if (!style.system_fingerprint.empty())
        begin.key("system_fingerprint").string(style.system_fingerprint);
    begin.key("choices").begin_array();
    text_begin_ = chunk_begin_ + R"({"index":0,"delta":{"content":")";
    reasoning_begin_ = fmt::format(R"("{}":")", style.reasoning_key);
    chunk_end_ = fmt::format("{}}}\n\n", no_usage_);
    delta_end_ = style.logprobs == ChatStyle::Logprobs::always ? R"(},"logprobs":null)" : "}";
    delta_end_ += R"(,"finish_reason":null}])" + chunk_end_;
    text_end_ = '"' + delta_end_;
}

void ChunkWriter::write(const timeline::Text& event) {
    ChoiceState& choice = at(event.choice);
    if (event.choice == 0 && choice.role_sent) {
        out_ += text_begin_;
    } else {
        begin_delta(event.choice, First::text);
        out_ += R"("content":")";
    }
    out_ += event.text;
    end_text(choice);
}

void ChunkWriter::write(const timeline::Reasoning& event) {
    if (show_reasoning_ == Envelope::Reasoning::hidden) return;
    begin_delta(event.choice, First::text);
    out_ += reasoning_begin_;
    out_ += event.text;
    out_ += text_end_;
}

void ChunkWriter::write(const timeline::Refusal& event) {
    ChoiceState& choice = begin_delta(event.choice, First::text);
    out_ += R"("refusal":")";
    out_ += event.text;
    end_text(choice);
}

void ChunkWriter::write(const timeline::ToolStarted& event) {
    begin_tool_call(event.choice, event.index);
    add_call(event.id, event.name, "");
}

void ChunkWriter::write_call(Choice choice, int index, const timeline::Answer::ToolCall& call) {
    begin_tool_call(choice, index);
    add_call(call.id, call.name, call.arguments_escaped);
}

void ChunkWriter::write(const timeline::ToolArguments& event) {
    begin_tool_call(event.choice, event.index);
    out_ += R"("function":{"arguments":")";
    out_ += event.fragment;
    out_ += R"("}}])";
    out_ += delta_end_;
}

// SDKs that put a list together from its parts go by the number of each.
void ChunkWriter::write(const timeline::Citation& event) {
    ChoiceState& choice = begin_delta(event.choice, First::text);
    const bool is_page = has_annotation(event);
    out_ += is_page ? R"("annotations":[)" : R"("citations":[)";
    int& written = is_page ? choice.annotations : choice.citations;
    json::Writer writer(out_);
    writer.begin_object().key("index").number(written++);
    is_page ? write_annotation_members(writer, event) : write_citation_members(writer, event);
    writer.end_object().end_array();
    out_ += delta_end_;
}

void ChunkWriter::write(const timeline::Media& event) {
    if (event.kind == timeline::Media::Kind::audio) return write_audio(event);
    ChoiceState& choice = begin_delta(event.choice, First::text);
    out_ += R"("images":[)";
    json::Writer writer(out_);
    writer.begin_object().key("index").number(choice.images++);
    write_image_members(writer, event);
    writer.end_object().end_array();
    out_ += delta_end_;
}

// What this piece does not tell, another one does.
void ChunkWriter::write_audio(const timeline::Media& piece) {
    ChoiceState& choice = begin_delta(piece.choice, First::text);
    const bool is_first = !std::exchange(choice.audio_begun, true);
    out_ += R"("audio":)";
    json::Writer writer(out_);
    writer.begin_object();
    if (!piece.id.empty())
        writer.key("id").escaped(piece.id);
    else if (is_first)
        writer.key("id").string(audio_id_);
    if (piece.expires_at) writer.key("expires_at").number(*piece.expires_at);
    if (!piece.data.empty()) writer.key("data").escaped(piece.data);
    if (!piece.transcript.empty()) writer.key("transcript").escaped(piece.transcript);
    writer.end_object();
    out_ += delta_end_;
}

void ChunkWriter::write(const timeline::Logprobs& event) {
    LogprobsObject& logprobs = at(event.choice).logprobs;
    logprobs_bytes_ -= logprobs.bytes();
    logprobs.add(event);
    logprobs_bytes_ += logprobs.bytes();
}

void ChunkWriter::write_aside(std::string_view choices, std::string_view members) {
    out_ += chunk_begin_;
    out_ += choices;
    out_ += "],";
    out_ += members;
    out_ += chunk_end_;
}

void ChunkWriter::finish(const timeline::Finished& event, const timeline::Usage* usage) {
    // An answer with nothing in it still says whose it is.
    const bool is_first =
        style_.role == ChatStyle::Role::first_chunk && !at(event.choice).role_sent;
    ChoiceState& choice = begin_delta(event.choice, First::text);
    if (is_first) out_ += R"("content":"")";
    end_delta(choice);
    out_ += '"';
    out_ += finish_reason(event.finish);
    out_ += "\"}";
    end_chunk(usage);
}

void ChunkWriter::fail(std::string_view message) {
    ChoiceState& choice = begin_delta(0, First::text);
    out_ += R"("content":"")";
    end_delta(choice);
    out_ += R"("error"}])";
    out_ += no_usage_;
    out_ += R"(,"error":{"code":"server_error","message":")";
    json::append_escaped(out_, message);
    out_ += "\"}}\n\n";
}

void ChunkWriter::usage(const timeline::Usage& usage) {
    out_ += chunk_begin_;
    end_chunk(&usage);
}

void ChunkWriter::done() { out_ += "data: [DONE]\n\n"; }

ChunkWriter::ChoiceState& ChunkWriter::at(Choice choice) {
    const auto index = static_cast<std::size_t>(choice);
    if (index >= choices_.size()) choices_.resize(index + 1);
    return choices_[index];
}

ChunkWriter::ChoiceState& ChunkWriter::begin_delta(Choice choice, First first) {
    if (!at(choice).role_sent) announce_choices_before(choice);
    ChoiceState& state = at(choice);
    const bool is_first = !std::exchange(state.role_sent, true);
    begin_choice(choice);
    if (!is_first) return state;
    out_ += R"("role":"assistant",)";
    if (style_.role == ChatStyle::Role::first_chunk) return state;
    out_ += R"("content":)";
    out_ += first == First::tool_call ? "null" : R"("")";
    out_ += delta_end_;
    begin_choice(choice);
    return state;
}

// Clients that keep choices in a list add each at its end. Each choice that was asked for is told
// to its end; where only one was, a provider's odd number is left alone.
void ChunkWriter::announce_choices_before(Choice choice) {
    if (choices_asked_for_ == 1) return;
    for (Choice earlier = 0; earlier < std::min(choice, choices_asked_for_); ++earlier) {
        if (std::exchange(at(earlier).role_sent, true)) continue;
        begin_choice(earlier);
        out_ += R"("role":"assistant","content":"")";
        out_ += delta_end_;
    }
}

void ChunkWriter::begin_choice(Choice choice) {
    out_ += chunk_begin_;
    out_ += R"({"index":)";
    add_number(choice);
    out_ += R"(,"delta":{)";
}

void ChunkWriter::end_text(ChoiceState& choice) {
    if (choice.logprobs.empty()) {
        out_ += text_end_;
        return;
    }
    out_ += '"';
    end_delta(choice);
    out_ += "null}]";
    out_ += chunk_end_;
}

void ChunkWriter::end_delta(ChoiceState& choice) {
    out_ += '}';
    if (!choice.logprobs.empty()) {
        logprobs_bytes_ -= choice.logprobs.bytes();
        json::Writer writer(out_);
        choice.logprobs.write(writer.key("logprobs"));
        choice.logprobs.clear();
    } else if (style_.logprobs == ChatStyle::Logprobs::always) {
        out_ += R"(,"logprobs":null)";
    }
    out_ += R"(,"finish_reason":)";
}

void ChunkWriter::end_chunk(const timeline::Usage* usage) {
    out_ += ']';
    if (usage == nullptr) {
        out_ += chunk_end_;
        return;
    }
    out_ += R"(,"usage":)";
    json::Writer writer(out_);
    write_usage(writer, *usage, style_.prompt_tokens);
    out_ += "}\n\n";
}

void ChunkWriter::begin_tool_call(Choice choice, int index) {
    begin_delta(choice, First::tool_call);
    out_ += R"("tool_calls":[{"index":)";
    add_number(index);
    out_ += ',';
}

void ChunkWriter::add_call(std::string_view id, std::string_view name,
                           std::string_view arguments_escaped) {
    out_ += R"("id":")";
    json::append_escaped(out_, id);
    out_ += R"(","type":"function","function":{"name":")";
    json::append_escaped(out_, name);
    out_ += R"(","arguments":")";
    out_ += arguments_escaped;
    out_ += R"("}}])";
    out_ += delta_end_;
}

void ChunkWriter::add_number(int number) { fmt::format_to(std::back_inserter(out_), "{}", number); }

}  // namespace runnel::api
