#include "provider/anthropic/media.hpp"

#include "base/base64.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "provider/core/inline_data.hpp"

#include <fmt/format.h>

namespace runnel::provider::anthropic {
namespace {

bool is_text(std::string_view media_type) {
    return media_type.starts_with("text/") || media_type == "application/json";
}

enum class BlockType { image, document };

json::Writer& begin_block(json::Writer& writer, BlockType type) {
    return writer.begin_object().key("type").string(type == BlockType::image ? "image"
                                                                             : "document");
}

void write_base64_source(json::Writer& writer, const InlineData& data) {
    writer.key("source").begin_object().key("type").string("base64");
    writer.key("media_type").string(data.media_type);
    writer.key("data").escaped(data.base64_escaped).end_object();
}

void write_source(json::Writer& writer, std::string_view type, std::string_view field,
                  std::string_view value_escaped) {
    writer.key("source").begin_object().key("type").string(type);
    writer.key(field).escaped(value_escaped).end_object();
}

void write_text_source(json::Writer& writer, std::string_view text_escaped) {
    writer.key("source").begin_object().key("type").string("text");
    writer.key("media_type").string("text/plain").key("data").escaped(text_escaped).end_object();
}

Result<void> write_decoded_text(json::Writer& writer, std::string_view base64,
                                const std::string& param) {
    std::string text;
    if (!append_decoded_base64(text, json::unescaped(base64)) || !simdjson::validate_utf8(text))
        return fail_at(ErrorKind::invalid_value, param,
                       fmt::format("{} is not UTF-8 text in base64", param));
    std::string escaped;
    json::append_escaped(escaped, text);
    write_text_source(writer, escaped);
    return {};
}

// Bytes that the client sent along; which block they begin depends on what they are.
Result<BlockType> begin_inline(json::Writer& writer, const chat::Source& source,
                               const std::string& param) {
    auto data = inline_data(source);
    if (!data)
        return fail_at(ErrorKind::invalid_value, param,
                       fmt::format("{} must be a URL or a data: URL in base64", param));
    data->media_type = media_type_of(*data);
    if (data->media_type.starts_with("image/")) {
        write_base64_source(begin_block(writer, BlockType::image), *data);
        return BlockType::image;
    }
    begin_block(writer, BlockType::document);
    if (is_text(data->media_type)) {
        if (auto written = write_decoded_text(writer, data->base64_escaped, param); !written)
            return propagate(written);
    } else if (data->media_type == "application/pdf") {
        write_base64_source(writer, *data);
    } else {
        return fail_at(
            ErrorKind::unsupported_parameter, param,
            fmt::format(
                "{} must be an image, a PDF file or a text file: Anthropic takes nothing else",
                param));
    }
    return BlockType::document;
}

// Begins a block with its source; `expected` is what an address or an id leads to.
Result<BlockType> begin_with_source(Draft& draft, const chat::Source& source, BlockType expected,
                                    const std::string& param) {
    json::Writer writer = draft.writer();
    if (!source.file_id_escaped.empty()) {
        write_source(begin_block(writer, expected), "file", "file_id", source.file_id_escaped);
        draft.need_beta("files-api-2025-04-14");
        return expected;
    }
    const std::string_view url = source.url_escaped;
    if (url.starts_with("http:") || url.starts_with("https:")) {
        write_source(begin_block(writer, expected), "url", "url", url);
        return expected;
    }
    return begin_inline(writer, source, param);
}

void describe_document(json::Writer& writer, const chat::File& file) {
    if (!file.filename_escaped.empty()) writer.key("title").escaped(file.filename_escaped);
    if (!file.context_escaped.empty()) writer.key("context").escaped(file.context_escaped);
    if (file.citations != chat::Wish::unsaid)
        writer.key("citations")
            .begin_object()
            .key("enabled")
            .boolean(file.citations == chat::Wish::yes)
            .end_object();
}

}  // namespace

Result<void> begin_image(Draft& draft, const chat::Image& image, const std::string& param) {
    auto begun = begin_with_source(draft, image.source, BlockType::image, param);
    return begun ? Result<void>() : propagate(begun);
}

Result<void> begin_document(Draft& draft, const chat::File& file, const std::string& param) {
    json::Writer writer = draft.writer();
    if (!file.text_escaped.empty()) {
        write_text_source(begin_block(writer, BlockType::document), file.text_escaped);
        describe_document(writer, file);
        return {};
    }
    auto begun = begin_with_source(draft, file.source, BlockType::document, param);
    if (!begun) return propagate(begun);
    if (*begun == BlockType::document) describe_document(writer, file);
    return {};
}

}  // namespace runnel::provider::anthropic
