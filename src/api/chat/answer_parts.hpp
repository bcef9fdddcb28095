#pragma once

#include "api/chat/chat_style.hpp"
#include "api/dialect.hpp"
#include "base/error.hpp"
#include "json/writer.hpp"
#include "timeline/event.hpp"

#include <cstddef>
#include <string>
#include <string_view>

// What OpenAI's streamed chunks and whole answers have in common.
namespace runnel::api {

// The usage object. What was not reported is absent; total_tokens is everything, whatever
// prompt_tokens counts.
void write_usage(json::Writer& writer, const timeline::Usage& usage,
                 ChatStyle::PromptTokens prompt_tokens);

// The frame that tells of a failure in the middle of a stream.
void append_error_frame(std::string& out, const Error& error);

std::string_view finish_reason(timeline::Finish finish);

// Annotations are of pages: a place in one of the client's own documents has none.
bool has_annotation(const timeline::Citation& citation);
void write_annotation_members(json::Writer& writer, const timeline::Citation& citation);
// The members of an entry of `citations`, in this gateway's own words.
void write_citation_members(json::Writer& writer, const timeline::Citation& citation);
// Of audio that its maker gives none.
std::string audio_id(const Envelope& envelope);
// The members of an entry of `images`.
void write_image_members(json::Writer& writer, const timeline::Media& image);

// The event's tokens as objects, behind those that `out` has, with commas between.
void append_tokens(std::string& out, const timeline::Logprobs& event);

// The logprobs object for the tokens of several events, in their order.
class LogprobsObject {
public:
    void add(const timeline::Logprobs& event);
    void write(json::Writer& writer) const;
    void clear();
    bool empty() const { return bytes() == 0; }
    std::size_t bytes() const { return text_.size() + refusal_.size() + reasoning_.size(); }

private:
    // Tokens as JSON objects, with commas between.
    std::string text_;
    std::string refusal_;
    std::string reasoning_;
};

}  // namespace runnel::api
