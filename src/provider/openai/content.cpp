#include "provider/openai/content.hpp"

#include "provider/core/inline_data.hpp"
#include "provider/core/tool_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace runnel::provider {
namespace {

using chat::Api;
using chat::Message;
using chat::Part;
using chat::Role;

// What is said in pictures, sounds and pages.
bool is_media(const Part& part) {
    return part.is<chat::Image>() || part.is<chat::Audio>() || part.is<chat::Video>() ||
           (part.is<chat::File>() && !is_words(part));
}

bool has_refusal(const Message& message) {
    return std::ranges::any_of(message.parts, &Part::is<chat::Refusal>);
}

// Why a part can't be said to anybody of the family; empty: it can.
std::string_view unsayable(const Part& part, Api api) {
    constexpr std::string_view only_an_id = "is known by the id of a file only; send its data";
    const auto* image = part.as<chat::Image>();
    if (image != nullptr && !image->source.file_id_escaped.empty()) return only_an_id;
    const auto* video = part.as<chat::Video>();
    if (video != nullptr && !video->source.file_id_escaped.empty()) return only_an_id;
    const auto* audio = part.as<chat::Audio>();
    if (audio != nullptr && audio->source.data_escaped.empty())
        return "must be sent as data in base64";
    const auto* file = part.as<chat::File>();
    const bool is_openais = api == Api::chat_completions || api == Api::responses;
    if (file != nullptr && !file->source.file_id_escaped.empty() && !is_openais)
        return "is a file that another provider keeps; send its data";
    return {};
}

// What OpenAI calls the format of an audio/… type.
std::string_view audio_format(std::string_view media_type) {
    if (media_type == "audio/mpeg") return "mp3";
    if (media_type == "audio/x-wav" || media_type == "audio/wave") return "wav";
    return media_type.substr(media_type.find('/') + 1);
}

}  // namespace

Result<void> check_openai_parts(const chat::Request& request) {
    for (std::size_t i = 0; i < request.messages.size(); ++i) {
        const std::vector<Part>& parts = request.messages[i].parts;
        for (std::size_t j = 0; j < parts.size(); ++j) {
            const std::string_view why = unsayable(parts[j], request.api);
            if (why.empty()) continue;
            const std::string place = fmt::format("messages[{}].content[{}]", i, j);
            return fail_at(ErrorKind::unsupported_parameter, place,
                           fmt::format("{} {}", place, why));
        }
    }
    return {};
}

ContentWriter::ContentWriter(const RequestQuirks* quirks, const chat::Request* request,
                             std::string* out)
    : quirks_(*quirks),
      request_(*request),
      out_(*out),
      writer_(out_) {}

void ContentWriter::write(const Message& message) {
    writer_.key("content");
    if (std::ranges::any_of(message.parts,
                            [&](const Part& part) { return is_written(message, part); })) {
        is_one_string(message) ? write_string(message) : write_array(message);
    } else if (has_more_than_text(message)) {
        writer_.string("The result follows in a message of its own.");
    } else if (message.has_calls() || has_refusal(message)) {
        writer_.null();
    } else {
        writer_.escaped(failure_prefix(message));
    }
    write_refusal(message);
}

// Whether the part stands in the content of its message.
bool ContentWriter::is_written(const Message& message, const Part& part) const {
    if (is_words(part)) return !part.is<chat::Refusal>();
    if (part.is<chat::Other>()) return speaks_chat(request_);
    return is_media(part) && message.role != Role::tool;
}

// Every server takes a string; not all take an array, nor take one everywhere.
bool ContentWriter::is_one_string(const Message& message) const {
    std::size_t count = 0;
    for (const Part& part : message.parts) {
        if (!is_written(message, part)) continue;
        if (!is_words(part)) return false;
        if (quirks_.content == RequestQuirks::Content::text_as_string) continue;
        if (++count > 1 || !stands_alone(part)) return false;
    }
    return true;
}

// Whether nothing is said of the part beside its text.
bool ContentWriter::stands_alone(const Part& part) const {
    const bool is_marked = part.cache && quirks_.cache_control == RequestQuirks::CacheControl::keep;
    return !is_marked && (part.extras.empty() || !speaks_chat(request_));
}

void ContentWriter::write_string(const Message& message) {
    out_ += '"';
    out_ += failure_prefix(message);
    bool first = true;
    for (const Part& part : message.parts) {
        if (!is_written(message, part)) continue;
        if (!std::exchange(first, false)) out_ += "\\n";
        append_words(out_, part);
    }
    out_ += '"';
}

void ContentWriter::write_array(const Message& message) {
    writer_.begin_array();
    if (const std::string_view prefix = failure_prefix(message); !prefix.empty())
        write_part({chat::Text{prefix}});
    for (const Part& part : message.parts)
        if (is_written(message, part)) write_part(part);
    writer_.end_array();
}

void ContentWriter::write_refusal(const Message& message) {
    if (!has_refusal(message)) return;
    writer_.key("refusal");
    out_ += '"';
    for (const Part& part : message.parts)
        if (const auto* refusal = part.as<chat::Refusal>()) out_ += refusal->text_escaped;
    out_ += '"';
}

bool ContentWriter::has_more_than_text(const Message& result) {
    return result.role == Role::tool && std::ranges::any_of(result.parts, is_media);
}

void ContentWriter::write_media(const Message& result) {
    for (const Part& part : result.parts)
        if (is_media(part)) write_part(part);
}

void ContentWriter::write_part(const Part& part) {
    if (const auto* other = part.as<chat::Other>()) return (void)writer_.raw(other->raw);
    writer_.begin_object();
    if (is_words(part)) write_words(part);
    if (const auto* image = part.as<chat::Image>()) write_image(*image);
    if (const auto* audio = part.as<chat::Audio>()) write_audio(*audio);
    if (const auto* video = part.as<chat::Video>()) write_video(*video);
    if (const auto* file = part.as<chat::File>(); file && file->text_escaped.empty())
        write_file(*file);
    write_mark(part.cache);
    write_extras(part.extras);
    writer_.end_object();
}

void ContentWriter::write_words(const Part& part) {
    writer_.key("type").string("text").key("text");
    out_ += '"';
    append_words(out_, part);
    out_ += '"';
}

void ContentWriter::write_image(const chat::Image& image) {
    writer_.key("type").string("image_url").key("image_url").begin_object();
    write_url("url", image.source);
    if (!image.detail_escaped.empty()) writer_.key("detail").escaped(image.detail_escaped);
    writer_.end_object();
}

void ContentWriter::write_audio(const chat::Audio& audio) {
    const chat::Source& source = audio.source;
    writer_.key("type").string("input_audio").key("input_audio").begin_object();
    writer_.key("data").escaped(source.data_escaped).key("format");
    if (audio.format_escaped.empty()) {
        writer_.string(audio_format(inline_data(source)->media_type));
    } else {
        writer_.escaped(audio.format_escaped);
    }
    writer_.end_object();
}

// OpenAI has no word for it; OpenRouter and those who serve such models have this one.
void ContentWriter::write_video(const chat::Video& video) {
    writer_.key("type").string("video_url").key("video_url").begin_object();
    write_url("url", video.source);
    writer_.end_object();
}

void ContentWriter::write_file(const chat::File& file) {
    if (quirks_.files == RequestQuirks::Files::document_url) return write_document(file);
    writer_.key("type").string("file").key("file").begin_object();
    if (!file.source.file_id_escaped.empty())
        writer_.key("file_id").escaped(file.source.file_id_escaped);
    if (!file.filename_escaped.empty()) {
        writer_.key("filename").escaped(file.filename_escaped);
    } else if (!speaks_chat(request_) && !file.source.data_escaped.empty()) {
        writer_.key("filename").string("document");  // it is asked for with data
    }
    if (!file.source.data_escaped.empty() || !file.source.url_escaped.empty())
        write_url("file_data", file.source);
    writer_.end_object();
}

// Mistral's words for a file: one that it has, or an address, which may be a data: URL.
void ContentWriter::write_document(const chat::File& file) {
    if (!file.source.file_id_escaped.empty()) {
        writer_.key("type").string("file").key("file_id").escaped(file.source.file_id_escaped);
        return;
    }
    writer_.key("type").string("document_url");
    write_url("document_url", file.source);
    if (!file.filename_escaped.empty()) writer_.key("document_name").escaped(file.filename_escaped);
}

void ContentWriter::write_url(json::Literal key, const chat::Source& source) {
    writer_.key(key);
    // Bytes of which nobody says what they are go on as they came.
    if (!source.data_escaped.empty() && source.media_type_escaped.empty())
        return (void)writer_.escaped(source.data_escaped);
    out_ += '"';
    chat::append_url(out_, source);
    out_ += '"';
}

void ContentWriter::write_mark(const std::optional<chat::CacheMark>& mark) {
    if (!mark || quirks_.cache_control == RequestQuirks::CacheControl::strip) return;
    writer_.key("cache_control").begin_object().key("type").string("ephemeral");
    if (!mark->ttl_escaped.empty()) writer_.key("ttl").escaped(mark->ttl_escaped);
    writer_.end_object();
}

void ContentWriter::write_extras(const chat::Extras& extras) {
    if (!speaks_chat(request_)) return;
    for (const chat::Extra& extra : extras) writer_.key(extra.name).raw(extra.raw);
}

}  // namespace runnel::provider
