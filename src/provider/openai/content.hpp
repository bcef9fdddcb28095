#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/writer.hpp"
#include "provider/openai/request.hpp"
#include "provider/presets.hpp"

#include <optional>
#include <string>

namespace runnel::provider {

// Whether the client spoke the family's own API, so that what only that one says may go on.
inline bool speaks_chat(const chat::Request& request) {
    return request.api == chat::Api::chat_completions;
}

// Whether every part of the request can be said to a member of the family.
Result<void> check_openai_parts(const chat::Request& request);

// Writes what the messages of a request say, for one provider of the family. Long texts are copied
// once, from where the client's body has them.
class ContentWriter {
public:
    // All three must outlive the writer.
    ContentWriter(const RequestQuirks* quirks, const chat::Request* request, std::string* out);

    // The members `content` and `refusal` of the message that is being written.
    void write(const chat::Message& message);

    // The messages of tools take text only: whether a result has more than that.
    static bool has_more_than_text(const chat::Message& result);
    // What it has more, as elements of an array of parts.
    void write_media(const chat::Message& result);

    // The member `cache_control`, for those who know it.
    void write_mark(const std::optional<chat::CacheMark>& mark);
    // Members that only chat completions have, where the client spoke that.
    void write_extras(const chat::Extras& extras);

private:
    bool is_written(const chat::Message& message, const chat::Part& part) const;
    bool is_one_string(const chat::Message& message) const;
    bool stands_alone(const chat::Part& part) const;
    void write_string(const chat::Message& message);
    void write_array(const chat::Message& message);
    void write_refusal(const chat::Message& message);
    void write_part(const chat::Part& part);
    void write_words(const chat::Part& part);
    void write_image(const chat::Image& image);
    void write_audio(const chat::Audio& audio);
    void write_video(const chat::Video& video);
    void write_file(const chat::File& file);
    void write_document(const chat::File& file);
    void write_url(json::Literal key, const chat::Source& source);

    const RequestQuirks& quirks_;
    const chat::Request& request_;
    std::string& out_;
    json::Writer writer_;
};

}  // namespace runnel::provider
