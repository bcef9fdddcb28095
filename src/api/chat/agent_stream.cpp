#include "api/chat/agent_stream.hpp"

#include "api/chat/answer_parts.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <utility>

namespace runnel::api {

using timeline::ServerTool;

namespace {

// A JSON value on one line; what nobody told is null.
void append_value(std::string& out, std::string_view raw) {
    json::append_compact(out, raw.empty() ? "null" : raw);
}

}  // namespace

AgentStream::AgentStream(const Envelope& envelope, Frames frames, std::string* out)
    : out_(*out),
      frames_(frames),
      chunks_(envelope, agent_style, out),
      show_usage_(envelope.usage),
      hold_(envelope.hold),
      hidden_tools_(envelope.hidden_tools) {}

void AgentStream::on(const timeline::Event& event) {
    std::visit(timeline::Overload{
                   [](const timeline::Started&) {},
                   [](const timeline::ReasoningSigned&) {},
                   [](const timeline::ReasoningEncrypted&) {},
                   [](const timeline::ItemEnded&) {},
                   [](const timeline::ToolEnded&) {},
                   [](const timeline::ProviderState&) {},
                   [](const timeline::Native&) {},
                   [&](const timeline::ToolStarted& e) {
                       show_held();
                       chunks_.write(e);
                   },
                   [&](const timeline::ToolArguments& e) { chunks_.write(e); },
                   [&](const ServerTool& e) { write(e); },
                   [&](const timeline::HoldOver& e) { end_hold(e); },
                   [&](const timeline::UsageReported& e) { finish_.set_usage(e.usage); },
                   [&](const timeline::Finished& e) {
                       show_held();
                       finish_.add(e);
                   },
                   [&](const timeline::Failed& e) { fail(e); },
                   [&](const timeline::Ended&) { end(); },
                   [&](const auto& e) { say(e); },
               },
               event);
}

void AgentStream::end_hold(const timeline::HoldOver& event) {
    if (event.why == timeline::HoldOver::Why::tool_called) return tell_held();
    hold_.time_is_over();
    if (hold_.is_over()) show_held();
}

template <class Said>
void AgentStream::say(const Said& event) {
    if (hold_.is_open() || !hold_.keep(event))
        chunks_.write(event);
    else if (hold_.is_over())
        show_held();
}

void AgentStream::show(const timeline::Event& said) {
    std::visit(
        [&](const auto& e) {
            if constexpr (requires { chunks_.write(e); }) chunks_.write(e);
        },
        said);
}

void AgentStream::show_held() {
    for (const timeline::Event& said : hold_.kept()) show(said);
    hold_.open();
}

void AgentStream::tell_held() {
    std::string text;
    for (const timeline::Event& said : hold_.kept()) {
        if (const auto* piece = std::get_if<timeline::Text>(&said)) {
            text += piece->text;
        } else if (!std::holds_alternative<timeline::Logprobs>(said)) {
            write_interim_text(std::exchange(text, {}));
            show(said);
        }
    }
    write_interim_text(text);
    hold_.begin_round();
}

void AgentStream::write_interim_text(std::string_view escaped) {
    if (escaped.empty()) return;
    std::string members;
    json::Writer(members).key("type").string("agent_text").key("content").escaped(escaped);
    write_frame(members, "");
}

void AgentStream::write(const ServerTool& event) {
    tell_held();
    if (event.state == ServerTool::State::created || hidden_tools_.has(event.name)) return;
    std::string members;
    json::Writer writer(members);
    if (event.state == ServerTool::State::running) {
        writer.key("type").string("tool_start").key("tool").string(event.name).key("args");
        append_value(members, event.arguments_raw);
    } else {
        const bool ok = event.state == ServerTool::State::completed;
        writer.key("type").string("tool_trace").key("tool").string(event.name);
        writer.key("ok").boolean(ok).key(ok ? "result" : "error");
        append_value(members, event.result_raw);
    }
    write_frame(members, event.id);
}

void AgentStream::write_frame(std::string_view members, std::string_view call_id) {
    if (frames_ == Frames::bare) {
        out_ += fmt::format("data: {{{}}}\n\n", members);
        return;
    }
    std::string all(members);
    if (!call_id.empty()) json::Writer(all).key("call_id").string(call_id);
    chunks_.write_aside(R"({"index":0,"delta":{},"finish_reason":null})", all);
}

void AgentStream::fail(const timeline::Failed& event) {
    show_held();
    failed_ = true;
    append_error_frame(out_, event.error);
}

void AgentStream::end() {
    if (!failed_) finish_.write(chunks_, show_usage_);
    chunks_.done();
}

}  // namespace runnel::api
