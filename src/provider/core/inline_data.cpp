#include "provider/core/inline_data.hpp"

#include "base/ascii.hpp"
#include "json/text.hpp"

#include <algorithm>

namespace runnel::provider {

std::optional<InlineData> read_data_url(std::string_view escaped) {
    constexpr std::string_view scheme = "data:";
    const std::size_t comma = escaped.find(',');
    if (!escaped.starts_with(scheme) || comma == std::string_view::npos) return std::nullopt;
    const std::string head =
        ascii::lowered(json::unescaped(escaped.substr(scheme.size(), comma - scheme.size())));
    if (!head.ends_with(";base64")) return std::nullopt;
    return InlineData{head.substr(0, head.find(';')), escaped.substr(comma + 1)};
}

std::optional<InlineData> inline_data(const chat::Source& source) {
    if (source.data_escaped.empty()) return read_data_url(source.url_escaped);
    return InlineData{ascii::lowered(json::unescaped(source.media_type_escaped)),
                      source.data_escaped};
}

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

bool is_words(const chat::Part& part) {
    const auto* file = part.as<chat::File>();
    return part.is<chat::Text>() || part.is<chat::Refusal>() ||
           (file != nullptr && !file->text_escaped.empty());
}

void append_words(std::string& out, const chat::Part& part) {
    if (const auto* text = part.as<chat::Text>()) out += text->text_escaped;
    if (const auto* refusal = part.as<chat::Refusal>()) out += refusal->text_escaped;
    if (const auto* document = part.as<chat::File>()) {
        for (const std::string_view line : {document->filename_escaped, document->context_escaped})
            if (!line.empty()) out.append(line).append(R"(\n\n)");
        out += document->text_escaped;
    }
}

bool has_foreign_parts(const chat::Request& request) {
    const auto has_other = [](const chat::Message& message) {
        return std::ranges::any_of(message.parts, &chat::Part::is<chat::Other>);
    };
    return request.api != chat::Api::chat_completions &&
           std::ranges::any_of(request.messages, has_other);
}

}  // namespace runnel::provider
