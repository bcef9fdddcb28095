#include "timeline/base64.hpp"

#include <cstdint>

namespace runnel::timeline {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t group = 4;  // digits, which stand for three bytes

// Writes the bytes of several texts anew, one after the other.
class Base64Joiner {
public:
    explicit Base64Joiner(std::string& out) : out_(out) {}

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

    void end() {
        const int missing = (3 - bytes_) % 3;
        for (int i = 0; i < missing; ++i) add_byte(0);
        for (int i = 0; i < missing; ++i) out_[out_.size() - 1 - static_cast<std::size_t>(i)] = '=';
    }

private:
    void add_byte(std::uint32_t byte) {
        group_ = group_ << 8 | byte;
        if (++bytes_ < 3) return;
        for (const int shift : {18, 12, 6, 0}) out_ += digits[group_ >> shift & 0x3F];
        group_ = 0;
        bytes_ = 0;
    }

    std::string& out_;
    std::uint32_t group_ = 0;
    int bytes_ = 0;
};

}  // namespace

void append_base64(std::string& text, std::string_view piece) {
    if (piece.empty()) return;
    const std::size_t written = text.find_last_not_of('=') + 1;
    const std::size_t whole = written - written % group;
    if (whole == text.size()) {
        text += piece;
        return;
    }
    // Its last bytes do not fill a group, so all that follows moves.
    const std::string rest = text.substr(whole, written - whole);
    text.resize(whole);
    Base64Joiner joiner(text);
    joiner.add(rest);
    joiner.add(piece);
    joiner.end();
}

}  // namespace runnel::timeline
