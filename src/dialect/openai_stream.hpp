#pragma once

#include "dialect/dialect.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::dialect {

// The default dialect's stream: OpenAI's chat.completion.chunk frames, strictly. Per choice a role
// chunk right before the first visible event, then one chunk per event, then a finish chunk; after
// all of them the usage if it was asked for, or after a failure an error frame and nothing else;
// [DONE] at the end of either.
//
// Everything a text chunk needs but the text is prepared once, so that a chunk costs three appends.
class OpenAiStream final : public timeline::Sink {
public:
    // `out` must outlive the encoder.
    OpenAiStream(const Envelope& envelope, std::string* out);

    void on(const timeline::Event& event) override;

private:
    struct ChoiceState {
        bool role_sent = false;
        std::vector<std::string> logprobs{};  // of text still to come
    };
    enum class First { text, tool_call };

    void write(const timeline::Text& event);
    void write(const timeline::Reasoning& event);
    void write(const timeline::Refusal& event);
    void write(const timeline::ToolStarted& event);
    void write(const timeline::ToolArguments& event);
    void write(const timeline::Annotation& event);
    void write(const timeline::Finished& event);
    void write(const timeline::Failed& event);
    void write(const timeline::Ended& event);

    ChoiceState& at(timeline::Choice choice);
    ChoiceState& open(timeline::Choice choice, First first);
    // A chunk up to the inside of its delta.
    void begin_delta(timeline::Choice choice);
    // A chunk from the end of a delta's text.
    void end_text(ChoiceState& choice);
    void begin_tool_call(timeline::Choice choice, int index);
    void add_logprobs(ChoiceState& choice);
    void add_number(int number);

    std::string& out_;
    std::string chunk_begin_;  // up to the inside of `choices`
    std::string text_begin_;   // of choice 0, up to the text
    std::string text_end_;     // from the end of a delta's text to the end of the frame
    std::string delta_end_;    // from the end of a delta
    std::string chunk_end_;    // from the end of `choices`
    Envelope::Usage show_usage_;
    Envelope::Reasoning show_reasoning_;
    std::vector<ChoiceState> choices_;
    std::optional<timeline::Usage> usage_;
    bool failed_ = false;
};

}  // namespace runnel::dialect
