#include "api/chat/openai_stream.hpp"

#include "api/chat/answer_parts.hpp"
#include "json/text.hpp"

namespace runnel::api {

OpenAiStream::OpenAiStream(const Envelope& envelope, std::string* out)
    : out_(*out),
      chunks_(envelope, openai_style, out),
      show_usage_(envelope.usage),
      show_tools_(envelope.tool_events),
      hidden_tools_(envelope.hidden_tools) {}

void OpenAiStream::on(const timeline::Event& event) {
    std::visit(timeline::Overload{
                   [](const timeline::Started&) {},
                   [](const timeline::ReasoningSigned&) {},
                   [](const timeline::ReasoningEncrypted&) {},
                   [](const timeline::ItemEnded&) {},
                   [](const timeline::ToolEnded&) {},
                   [&](const timeline::ServerTool& e) {
                       if (show_tools_ == Envelope::ToolEvents::comments) comment_on(e);
                   },
                   [](const timeline::HoldOver&) {},
                   [](const timeline::ProviderState&) {},
                   [](const timeline::Native&) {},
                   [&](const timeline::UsageReported& e) { usage_ = e.usage; },
                   [&](const timeline::Finished& e) { chunks_.finish(e, nullptr); },
                   [&](const timeline::Failed& e) { fail(e); },
                   [&](const timeline::Ended&) { end(); },
                   [&](const auto& e) { chunks_.write(e); },
               },
               event);
}

void OpenAiStream::comment_on(const timeline::ServerTool& event) {
    using State = timeline::ServerTool::State;
    if (event.state == State::created || hidden_tools_.has(event.name)) return;
    out_ += ": tool ";
    json::append_escaped(out_, event.name);
    out_ += event.state == State::running     ? " started\n\n"
            : event.state == State::completed ? " ok\n\n"
                                              : " failed\n\n";
}

void OpenAiStream::fail(const timeline::Failed& event) {
    failed_ = true;
    append_error_frame(out_, event.error);
}

void OpenAiStream::end() {
    if (usage_ && !failed_ && show_usage_ == Envelope::Usage::shown) chunks_.usage(*usage_);
    chunks_.done();
}

}  // namespace runnel::api
