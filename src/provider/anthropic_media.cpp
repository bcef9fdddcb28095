#include "provider/anthropic_media.hpp"

#include "json/text.hpp"
#include "provider/inline_data.hpp"

#include <fmt/format.h>

#include <optional>

namespace runnel::provider::anthropic {
namespace {

// What the bytes are, whatever the client says they are: Anthropic compares.
std::string media_type_of(const InlineData& data) {
    struct Magic {
        std::string_view base64;
        std::string_view media_type;
    };
    static constexpr Magic magics[] = {
        {"/9j/", "image/jpeg"},  {"iVBORw0KGgo", "image/png"},   {"R0lGOD", "image/gif"},
        {"UklGR", "image/webp"}, {"JVBERi0", "application/pdf"},
    };
    const std::string head = json::unescaped(data.base64_escaped.substr(0, 24));
    for (const Magic& magic : magics)
        if (head.starts_with(magic.base64)) return std::string(magic.media_type);
    return data.media_type;
}

bool is_text(std::string_view media_type) {
    return media_type.starts_with("text/") || media_type == "application/json";
}

std::optional<std::string> decoded(std::string_view base64) {
    std::string out;
    unsigned bits = 0;
    int count = 0;
    for (const char c : base64) {
        unsigned digit = 0;
        if (c >= 'A' && c <= 'Z') {
            digit = static_cast<unsigned>(c - 'A');
        } else if (c >= 'a' && c <= 'z') {
            digit = static_cast<unsigned>(c - 'a') + 26;
        } else if (c >= '0' && c <= '9') {
            digit = static_cast<unsigned>(c - '0') + 52;
        } else if (c == '+' || c == '-') {
            digit = 62;
        } else if (c == '/' || c == '_') {
            digit = 63;
        } else if (c == '=' || c == '\n' || c == '\r') {
            continue;
        } else {
            return std::nullopt;
        }
        bits = bits << 6 | digit;
        if (++count % 4 != 1) out += static_cast<char>(bits >> (6 - 2 * ((count - 1) % 4)) & 0xFF);
    }
    return out;
}

void write_base64_source(json::Writer& writer, std::string_view media_type,
                         std::string_view base64) {
    writer.key("source").begin_object().key("type").string("base64");
    writer.key("media_type").string(media_type).key("data").escaped(base64).end_object();
}

void write_source(json::Writer& writer, std::string_view type, std::string_view field,
                  std::string_view value_escaped) {
    writer.key("source").begin_object().key("type").string(type);
    writer.key(field).escaped(value_escaped).end_object();
}

Result<void> write_text_source(json::Writer& writer, std::string_view base64,
                               const std::string& param) {
    const auto text = decoded(json::unescaped(base64));
    if (!text || !simdjson::validate_utf8(*text))
        return fail_at(ErrorKind::invalid_value, param,
                       fmt::format("{} is not UTF-8 text in base64", param));
    writer.key("source").begin_object().key("type").string("text");
    writer.key("media_type").string("text/plain").key("data").string(*text).end_object();
    return {};
}

Result<void> write_document(json::Writer& writer, const InlineData& data,
                            const std::string& param) {
    writer.key("type").string("document");
    if (is_text(data.media_type)) return write_text_source(writer, data.base64_escaped, param);
    if (data.media_type != "application/pdf")
        return fail_at(
            ErrorKind::unsupported_parameter, param,
            fmt::format(
                "{} must be an image, a PDF file or a text file: Anthropic takes nothing else",
                param));
    write_base64_source(writer, data.media_type, data.base64_escaped);
    return {};
}

}  // namespace

Result<void> write_media(Draft& draft, const chat::Part& part, std::string_view mark_raw,
                         const std::string& param) {
    bool is_image = part.kind == chat::Part::Kind::image;
    const std::string_view where = is_image ? part.url_escaped : part.data_escaped;
    json::Writer writer = draft.writer();
    writer.begin_object();
    if (!part.file_id_escaped.empty()) {
        writer.key("type").string("document");
        write_source(writer, "file", "file_id", part.file_id_escaped);
        draft.need_beta("files-api-2025-04-14");
    } else if (where.starts_with("http:") || where.starts_with("https:")) {
        writer.key("type").string(is_image ? "image" : "document");
        write_source(writer, "url", "url", where);
    } else {
        auto data = read_data_url(where);
        // A file's data may come without the data: URL around it.
        const bool bare = !is_image && !where.empty() && !where.starts_with("data:");
        if (!data && !bare)
            return fail_at(ErrorKind::invalid_value, param,
                           fmt::format("{} must be a URL or a data: URL in base64", param));
        if (!data) data = InlineData{"", where};
        data->media_type = media_type_of(*data);
        is_image = data->media_type.starts_with("image/");
        if (is_image) {
            writer.key("type").string("image");
            write_base64_source(writer, data->media_type, data->base64_escaped);
        } else if (auto written = write_document(writer, *data, param); !written) {
            return written;
        }
    }
    if (!is_image && !part.filename_escaped.empty())
        writer.key("title").escaped(part.filename_escaped);
    draft.mark(mark_raw);
    writer.end_object();
    return {};
}

}  // namespace runnel::provider::anthropic
