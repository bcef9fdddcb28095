#include "dialect/openai_stream.hpp"

#include "dialect/openai_parts.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <iterator>

namespace runnel::dialect {
namespace {

using timeline::Choice;

// Inside a stream the client can only be told that the server failed, and whose fault it was: the
// provider's (which it reported itself), a time-out, a lost stream, or ours.
std::string_view code_in_stream(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::upstream_rejected:
        case ErrorKind::upstream_quota:
        case ErrorKind::upstream_rate_limited: return "tool_provider_error";
        default: return shape_of(kind).code;
    }
}

}  // namespace

OpenAiStream::OpenAiStream(const Envelope& envelope, std::string* out)
    : out_(*out),
      show_usage_(envelope.usage),
      show_reasoning_(envelope.reasoning) {
    json::Writer begin(chunk_begin_);
    begin.raw("data: ").begin_object();
    begin.key("id").string(envelope.id);
    begin.key("object").string("chat.completion.chunk");
    begin.key("created").number(envelope.created);
    begin.key("model").string(envelope.model);
    begin.key("choices").begin_array();
    text_begin_ = chunk_begin_ + R"({"index":0,"delta":{"content":")";
    chunk_end_ = show_usage_ == Envelope::Usage::shown ? "],\"usage\":null}\n\n" : "]}\n\n";
    delta_end_ = R"(},"finish_reason":null})" + chunk_end_;
    text_end_ = '"' + delta_end_;
}

void OpenAiStream::on(const timeline::Event& event) {
    std::visit(timeline::Overload{
                   [](const timeline::Started&) {},
                   [](const timeline::ToolEnded&) {},
                   [](const timeline::ServerTool&) {},
                   [](const timeline::HoldOver&) {},
                   [](const timeline::ProviderState&) {},
                   [&](const timeline::Logprobs& e) { at(e.choice).logprobs.emplace_back(e.raw); },
                   [&](const timeline::UsageReported& e) { usage_ = e.usage; },
                   [&](const auto& e) { write(e); },
               },
               event);
}

void OpenAiStream::write(const timeline::Text& event) {
    ChoiceState& choice = open(event.choice, First::text);
    if (event.choice == 0) {
        out_ += text_begin_;
    } else {
        begin_delta(event.choice);
        out_ += R"("content":")";
    }
    out_ += event.text;
    end_text(choice);
}

void OpenAiStream::write(const timeline::Reasoning& event) {
    if (show_reasoning_ == Envelope::Reasoning::hidden) return;
    open(event.choice, First::text);
    begin_delta(event.choice);
    out_ += R"("reasoning_content":")";
    out_ += event.text;
    out_ += text_end_;
}

void OpenAiStream::write(const timeline::Refusal& event) {
    ChoiceState& choice = open(event.choice, First::text);
    begin_delta(event.choice);
    out_ += R"("refusal":")";
    out_ += event.text;
    end_text(choice);
}

void OpenAiStream::write(const timeline::ToolStarted& event) {
    open(event.choice, First::tool_call);
    begin_tool_call(event.choice, event.index);
    out_ += R"("id":")";
    json::append_escaped(out_, event.id);
    out_ += R"(","type":"function","function":{"name":")";
    json::append_escaped(out_, event.name);
    out_ += R"(","arguments":""}}])";
    out_ += delta_end_;
}

void OpenAiStream::write(const timeline::ToolArguments& event) {
    begin_tool_call(event.choice, event.index);
    out_ += R"("function":{"arguments":")";
    out_ += event.fragment;
    out_ += R"("}}])";
    out_ += delta_end_;
}

void OpenAiStream::write(const timeline::Annotation& event) {
    open(event.choice, First::text);
    begin_delta(event.choice);
    out_ += R"("annotations":[)";
    json::append_compact(out_, event.raw);
    out_ += ']';
    out_ += delta_end_;
}

void OpenAiStream::write(const timeline::Finished& event) {
    ChoiceState& choice = open(event.choice, First::text);
    begin_delta(event.choice);
    out_ += '}';
    add_logprobs(choice);
    out_ += R"(,"finish_reason":")";
    out_ += timeline::name_of(event.finish);
    out_ += "\"}";
    out_ += chunk_end_;
}

void OpenAiStream::write(const timeline::Failed& event) {
    failed_ = true;
    json::Writer writer(out_);
    out_ += "data: ";
    writer.begin_object().key("error").begin_object();
    writer.key("message").string(event.error.message);
    writer.key("type").string("server_error");
    writer.key("code").string(code_in_stream(event.error.kind));
    writer.key("param");
    event.error.param.empty() ? writer.null() : writer.string(event.error.param);
    writer.end_object().end_object();
    out_ += "\n\n";
}

void OpenAiStream::write(const timeline::Ended&) {
    if (usage_ && !failed_ && show_usage_ == Envelope::Usage::shown) {
        out_ += chunk_begin_;
        out_ += R"(],"usage":)";
        json::Writer writer(out_);
        write_usage(writer, *usage_);
        out_ += "}\n\n";
    }
    out_ += "data: [DONE]\n\n";
}

OpenAiStream::ChoiceState& OpenAiStream::at(Choice choice) {
    const auto index = static_cast<std::size_t>(choice);
    if (index >= choices_.size()) choices_.resize(index + 1);
    return choices_[index];
}

OpenAiStream::ChoiceState& OpenAiStream::open(Choice choice, First first) {
    ChoiceState& state = at(choice);
    if (state.role_sent) return state;
    state.role_sent = true;
    begin_delta(choice);
    out_ += R"("role":"assistant","content":)";
    out_ += first == First::tool_call ? "null" : R"("")";
    out_ += delta_end_;
    return state;
}

void OpenAiStream::begin_delta(Choice choice) {
    out_ += chunk_begin_;
    out_ += R"({"index":)";
    add_number(choice);
    out_ += R"(,"delta":{)";
}

void OpenAiStream::end_text(ChoiceState& choice) {
    if (choice.logprobs.empty()) {
        out_ += text_end_;
        return;
    }
    out_ += "\"}";
    add_logprobs(choice);
    out_ += R"(,"finish_reason":null})";
    out_ += chunk_end_;
}

void OpenAiStream::begin_tool_call(Choice choice, int index) {
    begin_delta(choice);
    out_ += R"("tool_calls":[{"index":)";
    add_number(index);
    out_ += ',';
}

void OpenAiStream::add_logprobs(ChoiceState& choice) {
    if (choice.logprobs.empty()) return;
    out_ += R"(,"logprobs":)";
    out_ += joined_logprobs(choice.logprobs);
    choice.logprobs.clear();
}

void OpenAiStream::add_number(int number) {
    fmt::format_to(std::back_inserter(out_), "{}", number);
}

}  // namespace runnel::dialect
