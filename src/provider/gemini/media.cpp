#include "provider/gemini/media.hpp"

#include "base/ascii.hpp"
#include "json/text.hpp"
#include "provider/core/inline_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace runnel::provider::gemini {
namespace {

struct Extension {
    std::string_view ending;
    std::string_view media_type;
};
constexpr std::array extensions{
    Extension{".png", "image/png"},   Extension{".jpg", "image/jpeg"},
    Extension{".jpeg", "image/jpeg"}, Extension{".webp", "image/webp"},
    Extension{".gif", "image/gif"},   Extension{".heic", "image/heic"},
    Extension{".heif", "image/heif"}, Extension{".pdf", "application/pdf"},
    Extension{".txt", "text/plain"},  Extension{".md", "text/md"},
    Extension{".csv", "text/csv"},    Extension{".html", "text/html"},
    Extension{".mp3", "audio/mp3"},   Extension{".wav", "audio/wav"},
    Extension{".mp4", "video/mp4"},   Extension{".mov", "video/mov"},
    Extension{".webm", "video/webm"},
};

// What a name or a URL's path ends with tells what it holds; empty when it doesn't.
std::string_view media_type_by_name(std::string name) {
    name.erase(std::min(name.find_first_of("?#"), name.size()));
    name = ascii::lowered(name);
    const auto found = std::ranges::find_if(
        extensions, [&](const Extension& extension) { return name.ends_with(extension.ending); });
    return found == extensions.end() ? std::string_view() : found->media_type;
}

bool is_web_address(std::string_view escaped) {
    return escaped.starts_with("https:") || escaped.starts_with("http:") ||
           escaped.starts_with("gs:");
}

// What the source leads to: as the client says, or as the name of the file or its address tells;
// empty when they don't.
std::string media_type_of(const chat::Source& source, std::string_view filename_escaped = {}) {
    if (!source.media_type_escaped.empty())
        return ascii::lowered(json::unescaped(source.media_type_escaped));
    const std::string_view named = media_type_by_name(json::unescaped(filename_escaped));
    return std::string(named.empty() ? media_type_by_name(json::unescaped(source.url_escaped))
                                     : named);
}

void write_inline(json::Writer& writer, std::string_view media_type,
                  std::string_view base64_escaped) {
    writer.key("inlineData").begin_object();
    writer.key("mimeType").string(media_type).key("data").escaped(base64_escaped).end_object();
}

void write_address(json::Writer& writer, std::string_view media_type,
                   std::string_view uri_escaped) {
    writer.key("fileData").begin_object();
    if (!media_type.empty()) writer.key("mimeType").string(media_type);
    writer.key("fileUri").escaped(uri_escaped).end_object();
}

Result<void> write_source(json::Writer& writer, const chat::Source& source,
                          std::string_view media_type, const std::string& param) {
    if (!source.file_id_escaped.empty()) {
        // Gemini's own files are named by their URI; another provider's ids mean nothing here.
        if (!is_web_address(source.file_id_escaped))
            return fail_at(ErrorKind::unsupported_parameter, param,
                           fmt::format("{} has a file_id that is no URI of Gemini's: send the URI, "
                                       "or the file as data",
                                       param));
        write_address(writer, media_type, source.file_id_escaped);
    } else if (const auto data = inline_data(source)) {
        write_inline(writer, data->media_type.empty() ? media_type : data->media_type,
                     data->base64_escaped);
    } else if (is_web_address(source.url_escaped)) {
        write_address(writer, media_type, source.url_escaped);
    } else {
        return fail_at(ErrorKind::invalid_value, param,
                       fmt::format("{} must be a URL or a data: URL in base64", param));
    }
    return {};
}

Result<void> write_file(json::Writer& writer, const chat::File& file, const std::string& param) {
    std::string media_type = media_type_of(file.source, file.filename_escaped);
    // Bytes without a word about them are most often a PDF's.
    if (media_type.empty() && !file.source.data_escaped.empty()) media_type = "application/pdf";
    return write_source(writer, file.source, media_type, param);
}

Result<void> write_audio(json::Writer& writer, const chat::Audio& audio, const std::string& param) {
    std::string media_type = media_type_of(audio.source);
    if (media_type.empty()) media_type = "audio/" + json::unescaped(audio.format_escaped);
    return write_source(writer, audio.source, media_type, param);
}

}  // namespace

Result<void> write_media(json::Writer& writer, const chat::Part& part, const std::string& param) {
    if (is_words(part)) {
        std::string words;
        append_words(words, part);
        writer.key("text").escaped(words);
        return {};
    }
    if (const auto* image = part.as<chat::Image>())
        return write_source(writer, image->source, media_type_of(image->source), param);
    if (const auto* video = part.as<chat::Video>())
        return write_source(writer, video->source, media_type_of(video->source), param);
    if (const auto* audio = part.as<chat::Audio>()) return write_audio(writer, *audio, param);
    if (const auto* file = part.as<chat::File>()) return write_file(writer, *file, param);
    return fail_at(ErrorKind::unsupported_parameter, param,
                   fmt::format("{} is of a type that Gemini does not take", param));
}

}  // namespace runnel::provider::gemini
