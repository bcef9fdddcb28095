#include "operation/embedding.hpp"

#include "json/parser.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

namespace runnel::operation {
namespace {

constexpr std::size_t float_bytes = 4;

void append_float(std::string& bytes, float value) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    for (std::size_t i = 0; i < float_bytes; ++i, bits >>= 8)
        bytes += static_cast<char>(bits & 0xFF);
}

float float_at(std::string_view bytes) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < float_bytes; ++i)
        bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return std::bit_cast<float>(bits);
}

std::string encoded(std::string_view bytes) {
    std::string text(((bytes.size() + 2) / 3 * 4) + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::optional<std::string> decoded(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(size));
    for (int i = 0; i < 2 && text.ends_with('='); ++i) {
        text.remove_suffix(1);
        bytes.pop_back();
    }
    return bytes;
}

std::optional<std::string> numbers_of(std::string_view base64) {
    const auto bytes = decoded(base64);
    if (!bytes || bytes->size() % float_bytes != 0) return std::nullopt;
    std::string text = "[";
    for (std::size_t i = 0; i < bytes->size(); i += float_bytes) {
        const float value = float_at(std::string_view(*bytes).substr(i, float_bytes));
        if (!std::isfinite(value)) return std::nullopt;
        if (i > 0) text += ',';
        fmt::format_to(std::back_inserter(text), "{}", value);
    }
    text += ']';
    return text;
}

std::optional<std::string> base64_of(std::string numbers) {
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::array array;
    if (parser.parse(Padded::of(numbers), document) || document.get_array().get(array))
        return std::nullopt;
    std::string bytes;
    for (auto element : array) {
        double value = 0;
        if (element.get_double().get(value)) return std::nullopt;
        append_float(bytes, static_cast<float>(value));
    }
    return encoded(bytes);
}

}  // namespace

// Each is a message of its own: nobody reads two of them as one.
void EmbeddingRequest::show_words() {
    for (const EmbeddingInput& input : inputs) {
        if (!input.is_text()) continue;
        chat::Message& message = asked.messages.emplace_back();
        message.parts.push_back({chat::Text{input.text_escaped}});
        if (!input.title_escaped.empty())
            message.parts.push_back({chat::Text{input.title_escaped}});
    }
}

void EmbeddingRequest::take_words_back() {
    auto message = asked.messages.begin();
    for (EmbeddingInput& input : inputs) {
        if (!input.is_text()) continue;
        const std::vector<chat::Part>& parts = (message++)->parts;
        input.text_escaped = parts.front().words().value_or("");
        if (!input.title_escaped.empty()) input.title_escaped = parts.back().words().value_or("");
    }
    asked.messages.clear();
}

bool bring_into(Embedding::Form form, Embedding& embedding) {
    if (embedding.form == form) return true;
    auto text =
        form == Embedding::Form::numbers ? numbers_of(embedding.text) : base64_of(embedding.text);
    if (!text) return false;
    embedding = {form, std::move(*text)};
    return true;
}

}  // namespace runnel::operation
