#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace runnel {

// The JSON parser reads past the end of its input in wide steps; this many bytes after it must be
// readable. They need not be zero, and nothing is concluded from them.
inline constexpr std::size_t padding_bytes = 64;

// A view of bytes that are followed by at least padding_bytes readable ones. It owns nothing.
class Padded {
public:
    Padded() = default;
    // The caller vouches for the readable bytes after `text`, e.g. because it lies in a larger
    // buffer.
    static Padded vouched(std::string_view text) { return Padded(text); }
    // Makes room behind the string's end; the view is valid until `owner` changes.
    static Padded of(std::string& owner) {
        owner.reserve(owner.size() + padding_bytes);
        return Padded(owner);
    }

    std::string_view text() const { return text_; }
    const char* data() const { return text_.data(); }
    std::size_t size() const { return text_.size(); }
    bool empty() const { return text_.empty(); }
    // A part of padded bytes is padded: what follows it is the rest, and then the padding.
    Padded part(std::size_t begin, std::size_t count = std::string_view::npos) const {
        return Padded(text_.substr(begin, count));
    }

private:
    explicit Padded(std::string_view text) : text_(text) {}
    std::string_view text_;
};

}  // namespace runnel
