#include "dialect/audio_pieces.hpp"

#include "json/fields.hpp"
#include "json/writer.hpp"

#include <cstdint>
#include <string_view>

namespace runnel::dialect {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Base64 of several pieces as base64 of all their bytes: what each piece leaves over of a group is
// put before the next.
class Base64Joiner {
public:
    void add(std::string_view piece) {
        std::uint32_t bits = 0;
        int count = 0;
        for (const char c : piece) {
            const std::size_t digit = digits.find(c);
            if (digit == std::string_view::npos) continue;  // padding
            bits = bits << 6 | static_cast<std::uint32_t>(digit);
            count += 6;
            if (count < 8) continue;
            count -= 8;
            add_byte(bits >> count & 0xFF);
        }
    }

    std::string take() {
        const int missing = (3 - bytes_) % 3;
        for (int i = 0; i < missing; ++i) add_byte(0);
        for (int i = 0; i < missing; ++i)
            text_[text_.size() - 1 - static_cast<std::size_t>(i)] = '=';
        return std::move(text_);
    }

private:
    void add_byte(std::uint32_t byte) {
        group_ = group_ << 8 | byte;
        if (++bytes_ < 3) return;
        for (const int shift : {18, 12, 6, 0}) text_ += digits[group_ >> shift & 0x3F];
        group_ = 0;
        bytes_ = 0;
    }

    std::string text_;
    std::uint32_t group_ = 0;
    int bytes_ = 0;
};

}  // namespace

std::string joined_audio(std::span<const std::string> raws) {
    std::string out;
    if (raws.size() == 1) {
        json::append_compact(out, raws.front());
        return out;
    }
    std::string id = "null";
    std::string expires_at = "null";
    std::string transcript;
    Base64Joiner data;
    json::Parser parser;
    for (std::string raw : raws) {
        json::ondemand::document document;
        json::ondemand::object audio;
        if (parser.parse(Padded::of(raw), document) || document.get_object().get(audio)) continue;
        (void)json::for_each_field(audio, [&](std::string_view name, json::ondemand::value value) {
            std::string_view text;
            if (name == "data" && json::escaped_string(value, text)) data.add(text);
            if (name == "transcript" && json::escaped_string(value, text)) transcript += text;
            if (name == "id" && json::raw_value(value, text)) id = text;
            if (name == "expires_at" && json::raw_value(value, text)) expires_at = text;
        });
    }
    json::Writer writer(out);
    writer.begin_object().key("id").raw(id).key("expires_at").raw(expires_at);
    writer.key("data").escaped(data.take()).key("transcript").escaped(transcript).end_object();
    return out;
}

}  // namespace runnel::dialect
