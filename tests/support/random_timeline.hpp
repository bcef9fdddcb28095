#pragma once

#include "timeline/archive.hpp"

#include <array>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

namespace runnel::testing {

// An answer that no model would give, but could: every kind of event, in any order that the grammar
// allows.
class RandomTimeline {
public:
    explicit RandomTimeline(unsigned seed) : random_(seed) {}

    timeline::TimedRecording make() {
        add(timeline::Started{});
        for (int left = below(60); left > 0; --left) add_some_event();
        if (below(4) == 0) {
            timeline::Failed failed{{ErrorKind::upstream_failed, "it \"failed\"", "messages"}};
            if (below(2) == 0) failed.error.retry_after = std::chrono::milliseconds(1500);
            add(failed);
        } else {
            for (timeline::Choice choice = 0; choice < 3; ++choice)
                add(timeline::Finished{choice, static_cast<timeline::Finish>(below(5)), plain(),
                                       escaped()});
            if (below(2) == 0) add(timeline::UsageReported{usage()});
        }
        if (below(8) != 0) add(timeline::Ended{});
        return std::move(made_);
    }

private:
    int below(int end) { return std::uniform_int_distribution(0, end - 1)(random_); }

    template <std::size_t size>
    std::string_view one_of(const std::array<std::string_view, size>& all) {
        return all[static_cast<std::size_t>(below(size))];
    }

    std::string_view escaped() {
        constexpr std::array<std::string_view, 12> texts{
            "a",
            " word",
            R"(\n)",
            R"(\"q\")",
            "é\xF0\x9F\x98\x80",
            R"(\u00e9\/)",
            "",
            "```",
            R"(\\)",
            R"(\u0000\b)",
            "</tool>",
            "a longer piece of text, so that what is held back grows to its limit"};
        return one_of(texts);
    }
    std::string_view plain() {
        constexpr std::array<std::string_view, 6> texts{"call_1", "end_turn", "to\nol \"x\" \\",
                                                        "é",      "",         "\x01\x7F"};
        return one_of(texts);
    }
    std::string_view raw() {
        constexpr std::array<std::string_view, 6> texts{R"({"a": [1, 2.50, {"b":null}]})",
                                                        "{\"type\":\n\"url_citation\"}",
                                                        R"("no \"way\"")",
                                                        "-12.50e3",
                                                        "[ ]",
                                                        "true"};
        return one_of(texts);
    }
    timeline::Usage usage() {
        timeline::Usage usage{.fresh_input = below(100), .output = below(100)};
        for (auto* part : {&usage.cache_read, &usage.cache_write, &usage.reasoning,
                           &usage.audio_input, &usage.audio_output})
            if (below(2) == 0) *part = below(1000);
        return usage;
    }

    void add(const timeline::Event& event) {
        at_ += std::chrono::milliseconds(below(300));
        made_.add(at_, event);
    }

    void add_some_event() {
        const timeline::Choice choice = below(5) == 0 ? below(3) : 0;
        switch (below(19)) {
            case 0: return add(timeline::Reasoning{choice, escaped()});
            case 1: return add(timeline::Refusal{choice, escaped()});
            case 2: return add_call(choice);
            case 3: return add_server_tool();
            case 4: return add(timeline::HoldOver{static_cast<timeline::HoldOver::Why>(below(2))});
            case 5: return add(citation(choice));
            case 6: return add_logprobs(choice);
            case 7: return add(timeline::ProviderState{plain(), raw()});
            case 8: return add(timeline::UsageReported{usage()});
            case 9: return add(media(choice));
            case 10: return add(timeline::ReasoningSigned{choice, escaped(), plain()});
            case 11: return add(timeline::ReasoningEncrypted{choice, escaped(), plain(), plain()});
            case 12: return add(timeline::ItemEnded{choice});
            case 13:
                return add(timeline::Native{
                    choice, static_cast<timeline::Native::What>(below(7)), {plain(), raw()}});
            default: return add(timeline::Text{choice, escaped()});
        }
    }

    std::optional<std::int64_t> number() {
        return below(2) == 0 ? std::optional<std::int64_t>(below(1000)) : std::nullopt;
    }

    timeline::Citation citation(timeline::Choice choice) {
        return {.choice = choice,
                .kind = static_cast<timeline::Citation::Kind>(below(5)),
                .url = escaped(),
                .title = escaped(),
                .cited_text = escaped(),
                .text_start = number(),
                .text_end = number(),
                .document = number(),
                .start = number(),
                .end = number(),
                .file_id = escaped(),
                .reference = escaped()};
    }

    timeline::Media media(timeline::Choice choice) {
        return {.choice = choice,
                .kind = static_cast<timeline::Media::Kind>(below(2)),
                .media_type = plain(),
                .data = one_of(std::array<std::string_view, 3>{"AQI=", "AQID", ""}),
                .url = escaped(),
                .id = escaped(),
                .transcript = escaped(),
                .expires_at = number()};
    }

    std::vector<timeline::TokenLogprob> tokens(int most) {
        constexpr std::array<std::string_view, 3> numbers{"-0.5", "0", "-1.25e-7"};
        constexpr std::array<std::string_view, 4> bytes{"", "null", "[]", "[195,169]"};
        std::vector<timeline::TokenLogprob> made(static_cast<std::size_t>(below(most + 1)));
        for (timeline::TokenLogprob& token : made)
            token = {escaped(), one_of(numbers), one_of(bytes)};
        return made;
    }

    void add_logprobs(timeline::Choice choice) {
        std::vector<timeline::TokenLogprob> all = tokens(3);
        const std::vector<timeline::TokenLogprob> top = tokens(4);
        if (!all.empty()) all.back().top = top;
        const auto of = static_cast<timeline::Logprobs::Of>(below(3));
        add(timeline::Logprobs{choice, of, all});
    }

    void add_call(timeline::Choice choice) {
        const int index = calls_[static_cast<std::size_t>(choice)]++;
        add(timeline::ToolStarted{choice, index, plain(), plain()});
        for (int left = below(4); left > 0; --left)
            add(timeline::ToolArguments{choice, index, escaped()});
        if (below(8) != 0) add(timeline::ToolEnded{choice, index});
    }

    void add_server_tool() {
        const auto state = static_cast<timeline::ServerTool::State>(below(4));
        const bool is_over = state >= timeline::ServerTool::State::completed;
        add(timeline::ServerTool{state, plain(), plain(), raw(), is_over ? raw() : "", raw()});
    }

    std::mt19937 random_;
    timeline::TimedRecording made_;
    timeline::EventTime at_{0};
    std::array<int, 3> calls_{};
};

}  // namespace runnel::testing
