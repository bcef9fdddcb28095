#pragma once

#include "timeline/event.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace runnel::timeline {

// A whole answer: what is left when a timeline is folded. Text is JSON-escaped, as in the events.
struct Answer {
    struct ToolCall {
        std::string id;
        std::string name;
        std::string arguments_escaped;
    };
    struct Choice {
        std::string text_escaped;
        // How much of it was said before the last tool that the gateway ran.
        std::size_t interim_bytes = 0;
        std::string reasoning_escaped;
        std::string refusal_escaped;
        std::vector<ToolCall> tool_calls;
        std::vector<std::string> annotations_raw;
        std::vector<std::string> images_raw;
        std::vector<std::string> audio_raw;     // one per piece
        std::vector<std::string> logprobs_raw;  // one per event
        std::optional<Finish> finish;
    };

    std::vector<Choice> choices;  // by index; never empty after Ended
    std::optional<Usage> usage;
    std::optional<Error> error;
};

// Folds a timeline into an Answer: the non-streamed form of every answer, and what logs and caches
// keep.
class Fold final : public Sink {
public:
    void on(const Event& event) override;
    const Answer& answer() const { return answer_; }
    std::size_t held_bytes() const override { return bytes_; }

private:
    Answer::Choice& at(Choice choice);
    void add(std::string& text, std::string_view piece);
    void add(std::vector<std::string>& raws, std::string_view raw);

    Answer answer_;
    std::size_t bytes_ = 0;
};

}  // namespace runnel::timeline
