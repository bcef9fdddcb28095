#pragma once

#include "timeline/event.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::testing {

// Renders a timeline as text, one event per line, so that a test reads like the answer it expects:
//
//     started
//     text 0 "Hel"
//     reasoning 0 "hmm"
//     refusal 0 "no"
//     tool 0 #0 id=call_1 name=find
//     args 0 #0 "{\"q\":1}"
//     tool_end 0 #0
//     server_tool srv_1 gas completed {"chain":"base"} -> {"gwei":"0.01"}
//     hold_over tool_called
//     annotation 0 {…}
//     image 0 {…}
//     logprobs 0 {…}
//     state call_1 {…}
//     usage fresh=7 cache_read=2 cache_write=1 out=2 reasoning=1
//     finish 0 stop
//     failed upstream_truncated
//     ended
//
// Text stands between quotes as it travels, JSON-escaped. Usage leaves out the parts that were not
// reported.
class TimelineRecorder : public timeline::Sink {
public:
    void on(const timeline::Event& event) override {
        std::visit(
            timeline::Overload{
                [&](const timeline::Started&) { line("started"); },
                [&](const timeline::Text& e) {
                    line(fmt::format("text {} \"{}\"", e.choice, e.text));
                },
                [&](const timeline::Reasoning& e) {
                    line(fmt::format("reasoning {} \"{}\"", e.choice, e.text));
                },
                [&](const timeline::Refusal& e) {
                    line(fmt::format("refusal {} \"{}\"", e.choice, e.text));
                },
                [&](const timeline::ToolStarted& e) {
                    line(fmt::format("tool {} #{} id={} name={}", e.choice, e.index, e.id, e.name));
                },
                [&](const timeline::ToolArguments& e) {
                    line(fmt::format("args {} #{} \"{}\"", e.choice, e.index, e.fragment));
                },
                [&](const timeline::ToolEnded& e) {
                    line(fmt::format("tool_end {} #{}", e.choice, e.index));
                },
                [&](const timeline::ServerTool& e) {
                    constexpr std::string_view states[] = {"created", "running", "completed",
                                                           "failed"};
                    line(fmt::format("server_tool {} {} {} {}{}{}{}{}", e.id, e.name,
                                     states[static_cast<std::size_t>(e.state)], e.arguments_raw,
                                     e.result_raw.empty() ? "" : " -> ", e.result_raw,
                                     e.explanation_raw.empty() ? "" : " because ",
                                     e.explanation_raw));
                },
                [&](const timeline::HoldOver& e) {
                    line(e.why == timeline::HoldOver::Why::time ? "hold_over"
                                                                : "hold_over tool_called");
                },
                [&](const timeline::Annotation& e) {
                    line(fmt::format("annotation {} {}", e.choice, e.raw));
                },
                [&](const timeline::Media& e) {
                    const bool image = e.kind == timeline::Media::Kind::image;
                    line(fmt::format("{} {} {}", image ? "image" : "audio", e.choice, e.raw));
                },
                [&](const timeline::Logprobs& e) {
                    line(fmt::format("logprobs {} {}", e.choice, e.raw));
                },
                [&](const timeline::ProviderState& e) {
                    line(fmt::format("state {} {}", e.call_id, e.raw));
                },
                [&](const timeline::UsageReported& e) { line(rendered(e.usage)); },
                [&](const timeline::Finished& e) {
                    line(fmt::format("finish {} {}", e.choice, timeline::name_of(e.finish)));
                    natives_.emplace_back(e.native);
                },
                [&](const timeline::Failed& e) {
                    line(fmt::format("failed {}", name_of(e.error.kind)));
                    errors_.push_back(e.error);
                },
                [&](const timeline::Ended&) { line("ended"); },
            },
            event);
    }

    std::string text() const { return text_; }
    // The failures, whole, and the providers' own words for each finish, in order.
    const std::vector<Error>& errors() const { return errors_; }
    const std::vector<std::string>& natives() const { return natives_; }

    static std::string rendered(const timeline::Usage& usage) {
        std::string out = fmt::format("usage fresh={}", usage.fresh_input);
        const auto part = [&](std::string_view name, const std::optional<std::int64_t>& count) {
            if (count) out += fmt::format(" {}={}", name, *count);
        };
        part("cache_read", usage.cache_read);
        part("cache_write", usage.cache_write);
        out += fmt::format(" out={}", usage.output);
        part("reasoning", usage.reasoning);
        part("audio_in", usage.audio_input);
        part("audio_out", usage.audio_output);
        return out;
    }

private:
    void line(std::string_view rendered_event) {
        text_ += rendered_event;
        text_ += '\n';
    }

    std::string text_;
    std::vector<Error> errors_;
    std::vector<std::string> natives_;
};

}  // namespace runnel::testing
