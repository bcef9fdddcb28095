#pragma once

#include "timeline/event.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::testing {

// Renders a timeline as text, one event per line, so that a test reads like the answer it expects:
//
//     started
//     text 0 "Hel"
//     reasoning 0 "hmm"
//     reasoning_signed 0 "sig" by anthropic/claude
//     reasoning_encrypted 0 "data" by anthropic/claude
//     item_end 0
//     refusal 0 "no"
//     tool 0 #0 id=call_1 name=find
//     args 0 #0 "{\"q\":1}"
//     tool_end 0 #0
//     server_tool srv_1 gas completed {"chain":"base"} -> {"gwei":"0.01"}
//     hold_over tool_called
//     citation 0 address url="https://a" title="A" text_start=1 text_end=2
//     image 0 media_type="image/png" data="eA=="
//     logprobs 0 text "x":-0.5[120]("y":-2) "z":-1
//     state call_1 {…}
//     usage fresh=7 cache_read=2 cache_write=1 out=2 reasoning=1
//     finish 0 stop at "END"
//     failed upstream_truncated
//     ended
//
// Text stands between quotes as it travels, JSON-escaped. What was not told is left out.
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
                [&](const timeline::ReasoningSigned& e) {
                    line(fmt::format("reasoning_signed {} \"{}\" by {}", e.choice, e.signature,
                                     e.issuer));
                },
                [&](const timeline::ReasoningEncrypted& e) {
                    line(fmt::format("reasoning_encrypted {} \"{}\" by {}{}{}", e.choice, e.data,
                                     e.issuer, e.id.empty() ? "" : " id=", e.id));
                },
                [&](const timeline::ItemEnded& e) { line(fmt::format("item_end {}", e.choice)); },
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
                [&](const timeline::Native& e) {
                    constexpr std::string_view what[] = {
                        "item", "addition", "item_fields", "answer", "finish", "usage", "event"};
                    line(fmt::format("native {} {} {}", e.json.api,
                                     what[static_cast<std::size_t>(e.what)], e.json.raw));
                },
                [&](const timeline::Citation& e) { line(rendered(e)); },
                [&](const timeline::Media& e) { line(rendered(e)); },
                [&](const timeline::Logprobs& e) {
                    constexpr std::string_view of[] = {"text", "refusal", "reasoning"};
                    line(fmt::format("logprobs {} {}{}{}", e.choice,
                                     of[static_cast<std::size_t>(e.of)],
                                     e.tokens.empty() ? "" : " ", rendered(e.tokens)));
                },
                [&](const timeline::ProviderState& e) {
                    line(fmt::format("state {} {}", e.call_id, e.raw));
                },
                [&](const timeline::UsageReported& e) { line(rendered(e.usage)); },
                [&](const timeline::Finished& e) {
                    std::string at;
                    if (!e.stop_sequence.empty()) at = fmt::format(" at \"{}\"", e.stop_sequence);
                    line(fmt::format("finish {} {}{}", e.choice, timeline::name_of(e.finish), at));
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
        add(out, "cache_read", usage.cache_read);
        add(out, "cache_write", usage.cache_write);
        out += fmt::format(" out={}", usage.output);
        add(out, "reasoning", usage.reasoning);
        add(out, "audio_in", usage.audio_input);
        add(out, "audio_out", usage.audio_output);
        return out;
    }

    static std::string rendered(const timeline::Citation& citation) {
        constexpr std::string_view kinds[] = {"address", "characters", "pages", "blocks",
                                              "search_result"};
        std::string out = fmt::format("citation {} {}", citation.choice,
                                      kinds[static_cast<std::size_t>(citation.kind)]);
        add(out, "url", citation.url);
        add(out, "title", citation.title);
        add(out, "cited_text", citation.cited_text);
        add(out, "text_start", citation.text_start);
        add(out, "text_end", citation.text_end);
        add(out, "document", citation.document);
        add(out, "start", citation.start);
        add(out, "end", citation.end);
        add(out, "file_id", citation.file_id);
        add(out, "reference", citation.reference);
        return out;
    }

    static std::string rendered(const timeline::Media& media) {
        const bool is_image = media.kind == timeline::Media::Kind::image;
        std::string out = fmt::format("{} {}", is_image ? "image" : "audio", media.choice);
        add(out, "media_type", media.media_type);
        add(out, "data", media.data);
        add(out, "url", media.url);
        add(out, "id", media.id);
        add(out, "transcript", media.transcript);
        add(out, "expires_at", media.expires_at);
        return out;
    }

    static std::string rendered(std::span<const timeline::TokenLogprob> tokens) {
        std::string out;
        for (const timeline::TokenLogprob& token : tokens) {
            out += fmt::format("{}\"{}\":{}{}", out.empty() ? "" : " ", token.token,
                               token.logprob_raw, token.bytes_raw);
            if (!token.top.empty()) out += fmt::format("({})", rendered(token.top));
        }
        return out;
    }

private:
    static void add(std::string& out, std::string_view name,
                    const std::optional<std::int64_t>& count) {
        if (count) out += fmt::format(" {}={}", name, *count);
    }
    static void add(std::string& out, std::string_view name, std::string_view text) {
        if (!text.empty()) out += fmt::format(" {}=\"{}\"", name, text);
    }

    void line(std::string_view rendered_event) {
        text_ += rendered_event;
        text_ += '\n';
    }

    std::string text_;
    std::vector<Error> errors_;
    std::vector<std::string> natives_;
};

}  // namespace runnel::testing
