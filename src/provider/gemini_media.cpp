#include "provider/gemini_media.hpp"

#include "base/ascii.hpp"
#include "json/text.hpp"
#include "provider/inline_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace runnel::provider::gemini {
namespace {

using chat::Part;

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

void write_inline(json::Writer& writer, std::string_view media_type,
                  std::string_view base64_escaped) {
    writer.begin_object().key("inlineData").begin_object();
    writer.key("mimeType").string(media_type).key("data").escaped(base64_escaped);
    writer.end_object().end_object();
}

void write_address(json::Writer& writer, std::string_view media_type,
                   std::string_view uri_escaped) {
    writer.begin_object().key("fileData").begin_object();
    if (!media_type.empty()) writer.key("mimeType").string(media_type);
    writer.key("fileUri").escaped(uri_escaped).end_object().end_object();
}

Result<void> write_image(json::Writer& writer, const Part& part, const std::string& param) {
    if (const auto data = read_data_url(part.url_escaped)) {
        write_inline(writer, data->media_type, data->base64_escaped);
        return {};
    }
    if (!is_web_address(part.url_escaped))
        return fail_at(ErrorKind::invalid_value, param,
                       fmt::format("{} must be a URL or a data: URL in base64", param));
    write_address(writer, media_type_by_name(json::unescaped(part.url_escaped)), part.url_escaped);
    return {};
}

Result<void> write_file(json::Writer& writer, const Part& part, const std::string& param) {
    if (!part.file_id_escaped.empty()) {
        // Gemini's own files are named by their URI; another provider's ids mean nothing here.
        if (!is_web_address(part.file_id_escaped))
            return fail_at(ErrorKind::unsupported_parameter, param,
                           fmt::format("{} has a file_id that is no URI of Gemini's: send the URI, "
                                       "or the file as data",
                                       param));
        write_address(writer, media_type_by_name(json::unescaped(part.filename_escaped)),
                      part.file_id_escaped);
        return {};
    }
    const std::string_view named = media_type_by_name(json::unescaped(part.filename_escaped));
    if (const auto data = read_data_url(part.data_escaped)) {
        write_inline(writer, data->media_type.empty() ? named : data->media_type,
                     data->base64_escaped);
    } else if (is_web_address(part.data_escaped)) {
        write_address(writer, named, part.data_escaped);
    } else if (!part.data_escaped.empty() && !part.data_escaped.starts_with("data:")) {
        write_inline(writer, named.empty() ? "application/pdf" : named, part.data_escaped);
    } else {
        return fail_at(ErrorKind::invalid_value, param,
                       fmt::format("{} must be a data: URL in base64", param));
    }
    return {};
}

}  // namespace

Result<void> write_media(json::Writer& writer, const Part& part, const std::string& param) {
    switch (part.kind) {
        case Part::Kind::image: return write_image(writer, part, param);
        case Part::Kind::file: return write_file(writer, part, param);
        case Part::Kind::audio:
            write_inline(writer, "audio/" + json::unescaped(part.format_escaped),
                         part.data_escaped);
            return {};
        default:
            return fail_at(ErrorKind::unsupported_parameter, param,
                           fmt::format("{} is of a type that Gemini does not take", param));
    }
}

}  // namespace runnel::provider::gemini
