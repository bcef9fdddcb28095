#include "dialect/openai_stream.hpp"

#include "dialect/openai_parts.hpp"

namespace runnel::dialect {

OpenAiStream::OpenAiStream(const Envelope& envelope, std::string* out)
    : out_(*out),
      chunks_(envelope, openai_style, out),
      show_usage_(envelope.usage) {}

void OpenAiStream::on(const timeline::Event& event) {
    std::visit(timeline::Overload{
                   [](const timeline::Started&) {},
                   [](const timeline::ToolEnded&) {},
                   [](const timeline::ServerTool&) {},
                   [](const timeline::HoldOver&) {},
                   [](const timeline::ProviderState&) {},
                   [&](const timeline::UsageReported& e) { usage_ = e.usage; },
                   [&](const timeline::Finished& e) { chunks_.finish(e, nullptr); },
                   [&](const timeline::Failed& e) { fail(e); },
                   [&](const timeline::Ended&) { end(); },
                   [&](const auto& e) { chunks_.write(e); },
               },
               event);
}

void OpenAiStream::fail(const timeline::Failed& event) {
    failed_ = true;
    append_error_frame(out_, event.error);
}

void OpenAiStream::end() {
    if (usage_ && !failed_ && show_usage_ == Envelope::Usage::shown) chunks_.usage(*usage_);
    chunks_.done();
}

}  // namespace runnel::dialect
