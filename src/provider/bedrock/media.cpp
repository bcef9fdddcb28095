#include "provider/bedrock/media.hpp"

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "json/text.hpp"
#include "provider/core/inline_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::provider::bedrock {
namespace {

constexpr std::size_t document_name_bytes_max = 100;

struct Format {
    std::string_view media_type;
    std::string_view block;
    std::string_view format;
};
constexpr Format formats[] = {
    {"image/png", "image", "png"},
    {"image/jpeg", "image", "jpeg"},
    {"image/jpg", "image", "jpeg"},
    {"image/gif", "image", "gif"},
    {"image/webp", "image", "webp"},
    {"application/pdf", "document", "pdf"},
    {"text/csv", "document", "csv"},
    {"application/msword", "document", "doc"},
    {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "document", "docx"},
    {"application/vnd.ms-excel", "document", "xls"},
    {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "document", "xlsx"},
    {"text/html", "document", "html"},
    {"text/markdown", "document", "md"},
    {"text/plain", "document", "txt"},
    {"video/mp4", "video", "mp4"},
    {"video/webm", "video", "webm"},
    {"video/quicktime", "video", "mov"},
    {"video/x-matroska", "video", "mkv"},
    {"video/mpeg", "video", "mpeg"},
    {"audio/mpeg", "audio", "mp3"},
    {"audio/mp3", "audio", "mp3"},
    {"audio/wav", "audio", "wav"},
    {"audio/x-wav", "audio", "wav"},
    {"audio/flac", "audio", "flac"},
    {"audio/ogg", "audio", "ogg"},
};

// Where the part says what it is only by its format.
std::string media_type_of_audio(const chat::Audio& audio) {
    return "audio/" + ascii::lowered(json::unescaped(audio.format_escaped));
}

std::unexpected<Error> must_be_inline(const std::string& param) {
    return fail_at(ErrorKind::unsupported_parameter, param,
                   fmt::format("{} must have its bytes with it, as a data: URL in base64: Bedrock "
                               "fetches no addresses",
                               param));
}

}  // namespace

Result<void> MediaWriter::write(const chat::Part& part, const std::string& param) {
    if (const auto* file = part.as<chat::File>()) {
        if (file->text_escaped.empty()) return write_inline(file->source, file, param);
        write_text_document(*file);
        return {};
    }
    if (const auto* image = part.as<chat::Image>())
        return write_inline(image->source, nullptr, param);
    if (const auto* video = part.as<chat::Video>())
        return write_inline(video->source, nullptr, param);
    if (const auto* audio = part.as<chat::Audio>()) {
        chat::Source source = audio->source;
        const std::string media_type = media_type_of_audio(*audio);
        if (source.media_type_escaped.empty()) source.media_type_escaped = media_type;
        return write_inline(source, nullptr, param);
    }
    return fail_at(ErrorKind::unsupported_parameter, param,
                   fmt::format("{} is of a type that Bedrock does not take", param));
}

Result<void> MediaWriter::write_inline(const chat::Source& source, const chat::File* file,
                                       const std::string& param) {
    const auto data = inline_data(source);
    if (!data) return must_be_inline(param);
    // Sound in a RIFF file begins as WebP does.
    const bool is_sound = data->media_type.starts_with("audio/");
    const std::string media_type = is_sound ? data->media_type : media_type_of(*data);
    const auto* const format = std::ranges::find(formats, media_type, &Format::media_type);
    if (format == std::end(formats))
        return fail_at(ErrorKind::unsupported_parameter, param,
                       fmt::format("{} must be a picture (PNG, JPEG, GIF, WebP), a document (PDF, "
                                   "text, HTML, Word, Excel), MP4 or MP3: Bedrock takes nothing "
                                   "else",
                                   param));
    if (format->block == "document") {
        begin_document(format->format, file);
    } else {
        writer_.begin_object().key(format->block).begin_object();
        writer_.key("format").string(format->format);
    }
    writer_.key("source").begin_object();
    writer_.key("bytes").escaped(data->base64_escaped).end_object();
    if (format->block == "document") {
        end_document(file);
    } else {
        writer_.end_object().end_object();
    }
    return {};
}

void MediaWriter::write_text_document(const chat::File& file) {
    begin_document("txt", &file);
    writer_.key("source").begin_object();
    writer_.key("bytes").string(base64(json::unescaped(file.text_escaped))).end_object();
    end_document(&file);
}

void MediaWriter::begin_document(std::string_view format, const chat::File* file) {
    writer_.begin_object().key("document").begin_object();
    writer_.key("format").string(format).key("name").string(document_name(file));
}

void MediaWriter::end_document(const chat::File* file) {
    if (file != nullptr && !file->context_escaped.empty())
        writer_.key("context").escaped(file->context_escaped);
    if (file != nullptr && file->citations == chat::Wish::yes)
        writer_.key("citations").begin_object().key("enabled").boolean(true).end_object();
    writer_.end_object().end_object();
}

// Letters, digits, hyphens, brackets and single spaces are allowed, and every document must have
// another name.
std::string MediaWriter::document_name(const chat::File* file) {
    std::string name;
    if (file != nullptr) {
        for (const char c : json::unescaped(file->filename_escaped)) {
            const bool legal = ascii::is_alphanumeric(c) || std::string_view("-()[]").contains(c);
            const char taken = legal ? c : c == ' ' ? ' ' : '-';
            if (taken != ' ' || (!name.empty() && !name.ends_with(' '))) name += taken;
        }
        name = name.substr(0, document_name_bytes_max);
        while (name.ends_with(' ')) name.pop_back();
    }
    if (name.empty()) name = "document";
    std::string unique = name;
    for (int number = 2; !names_.insert(unique).second; ++number)
        unique = fmt::format("{} {}", name, number);
    return unique;
}

}  // namespace runnel::provider::bedrock
