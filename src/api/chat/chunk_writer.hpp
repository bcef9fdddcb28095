#pragma once

#include "api/chat/answer_parts.hpp"
#include "api/chat/chat_style.hpp"
#include "api/dialect.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::api {

// Writes chat.completion.chunk frames, one per event; what is written when is the dialect's
// business. It sees to the role, once per choice, and to each text's logprobs.
//
// Everything a text chunk needs but the text is prepared once, so that a chunk costs three appends.
class ChunkWriter {
public:
    // `out` must outlive the writer.
    ChunkWriter(const Envelope& envelope, const ChatStyle& style, std::string* out);

    void write(const timeline::Text& event);
    void write(const timeline::Reasoning& event);
    void write(const timeline::Refusal& event);
    void write(const timeline::ToolStarted& event);
    void write(const timeline::ToolArguments& event);
    // Of a page as OpenAI tells it, and of a document as `citations`.
    void write(const timeline::Citation& event);
    void write(const timeline::Media& event);
    // Kept for the choice's next text or finish.
    void write(const timeline::Logprobs& event);
    // A call at once rather than piece by piece.
    void write_call(timeline::Choice choice, int index, const timeline::Answer::ToolCall& call);
    // A chunk that is about something else: what stands in `choices`, and the members after it.
    void write_aside(std::string_view choices, std::string_view members);

    // `usage` stands on the chunk where it is not null.
    void finish(const timeline::Finished& event, const timeline::Usage* usage);
    // A chunk that is the finish of an answer that failed.
    void fail(std::string_view message);
    // A chunk of its own.
    void usage(const timeline::Usage& usage);
    void done();

    // Of what waits for the text that it belongs to.
    std::size_t held_bytes() const { return logprobs_bytes_; }

private:
    struct ChoiceState {
        bool role_sent = false;
        LogprobsObject logprobs{};  // of text still to come
        int annotations = 0;        // written so far
        int citations = 0;
        int images = 0;
        bool audio_begun = false;
    };
    enum class First { text, tool_call };

    ChoiceState& at(timeline::Choice choice);
    // A chunk up to the inside of its delta, with the choice's role in it or before it if it has
    // none yet.
    ChoiceState& begin_delta(timeline::Choice choice, First first);
    void announce_choices_before(timeline::Choice choice);
    void begin_choice(timeline::Choice choice);
    // A chunk from the end of a delta's text.
    void end_text(ChoiceState& choice);
    // A choice from the end of its delta up to the finish reason.
    void end_delta(ChoiceState& choice);
    // A chunk from inside `choices`.
    void end_chunk(const timeline::Usage* usage);
    void begin_tool_call(timeline::Choice choice, int index);
    void write_audio(const timeline::Media& piece);
    void add_call(std::string_view id, std::string_view name, std::string_view arguments_escaped);
    void add_number(int number);

    std::string& out_;
    ChatStyle style_;
    Envelope::Reasoning show_reasoning_;
    std::string audio_id_;  // where the provider gives none
    int choices_asked_for_;
    std::string_view no_usage_;    // what a chunk without usage says of it
    std::string chunk_begin_;      // up to the inside of `choices`
    std::string text_begin_;       // of choice 0, up to the text
    std::string text_end_;         // from the end of a delta's text to the end of the frame
    std::string delta_end_;        // from the end of a delta
    std::string chunk_end_;        // after `choices`
    std::string reasoning_begin_;  // in the delta, up to the text
    std::vector<ChoiceState> choices_;
    std::size_t logprobs_bytes_ = 0;
};

}  // namespace runnel::api
