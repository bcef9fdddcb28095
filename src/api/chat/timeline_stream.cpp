#include "api/chat/timeline_stream.hpp"

#include "base/release.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace runnel::api {

using timeline::ServerTool;

namespace {

std::string_view name_of(ServerTool::State state) {
    switch (state) {
        case ServerTool::State::created: return "Created";
        case ServerTool::State::running: return "Running";
        case ServerTool::State::completed: return "Completed";
        case ServerTool::State::failed: return "Failed";
    }
    return "Failed";
}

}  // namespace

TimelineStream::TimelineStream(const Envelope& envelope, std::string* out)
    : chunks_(envelope, timeline_style, out),
      show_results_(envelope.tool_results),
      hidden_tools_(envelope.hidden_tools) {}

void TimelineStream::on(const timeline::Event& event) {
    std::visit(timeline::Overload{
                   [](const timeline::Started&) {},
                   [](const timeline::ReasoningSigned&) {},
                   [](const timeline::ReasoningEncrypted&) {},
                   [](const timeline::ItemEnded&) {},
                   [](const timeline::HoldOver&) {},
                   [](const timeline::ProviderState&) {},
                   [](const timeline::Native&) {},
                   [&](const timeline::ToolStarted& e) { begin_call(e); },
                   [&](const timeline::ToolArguments& e) {
                       auto& call = calls_of(e.choice).all.at(static_cast<std::size_t>(e.index));
                       call.content.arguments_escaped += e.fragment;
                       call_bytes_ += e.fragment.size();
                   },
                   [&](const timeline::ToolEnded& e) { end_call(e); },
                   [&](const ServerTool& e) { write(e); },
                   [&](const timeline::UsageReported& e) { finish_.set_usage(e.usage); },
                   [&](const timeline::Finished& e) { finish_.add(e); },
                   [&](const timeline::Failed& e) { fail(e); },
                   [&](const timeline::Ended&) { end(); },
                   [&](const auto& e) { chunks_.write(e); },
               },
               event);
}

void TimelineStream::begin_call(const timeline::ToolStarted& event) {
    calls_of(event.choice).all.push_back({{std::string(event.id), std::string(event.name), {}}});
    call_bytes_ += sizeof(Call);
}

// Calls may end in any order; they are shown in the order of their numbers.
void TimelineStream::end_call(const timeline::ToolEnded& event) {
    Calls& calls = calls_of(event.choice);
    calls.all.at(static_cast<std::size_t>(event.index)).ended = true;
    for (; calls.written < calls.all.size() && calls.all[calls.written].ended; ++calls.written) {
        Call& call = calls.all[calls.written];
        chunks_.write_call(event.choice, static_cast<int>(calls.written), call.content);
        call_bytes_ -= call.content.arguments_escaped.size();
        release(call.content);
    }
}

void TimelineStream::write(const ServerTool& event) {
    if (hidden_tools_.has(event.name)) return;
    scratch_.clear();
    json::Writer writer(scratch_);
    writer.key("servertool").begin_object();
    writer.key("name").string(event.name);
    writer.key("id").string(event.id);
    writer.key("contents").string(event.arguments_raw);
    writer.key("state").string(name_of(event.state));
    if (!event.explanation_raw.empty()) writer.key("explanation").raw(event.explanation_raw);
    if (show_results_ == Envelope::ToolResults::shown && !event.result_raw.empty()) {
        writer.key(event.state == ServerTool::State::failed ? "error" : "result");
        json::append_compact(scratch_, event.result_raw);
    }
    writer.end_object();
    chunks_.write_aside("", scratch_);
}

void TimelineStream::fail(const timeline::Failed& event) {
    failed_ = true;
    chunks_.fail(event.error.message);
}

void TimelineStream::end() {
    if (!failed_) finish_.write(chunks_, Envelope::Usage::shown);
    chunks_.done();
}

TimelineStream::Calls& TimelineStream::calls_of(timeline::Choice choice) {
    const auto index = static_cast<std::size_t>(choice);
    if (index >= calls_.size()) calls_.resize(index + 1);
    return calls_[index];
}

}  // namespace runnel::api
