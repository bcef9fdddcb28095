#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace runnel::http {

// Cuts a peer's bytes into lines that end with CRLF, whatever the reads they come in. Each byte is
// looked at once, and none are kept but those of a line that is not over.
class LineReader {
public:
    // The lines may take so many bytes together, their ends included.
    explicit LineReader(std::size_t limit) : left_(limit) {}

    // From now on, so many.
    void allow(std::size_t limit) { left_ = limit; }

    enum class Outcome { line, more, too_long, bare_line_feed };
    // Takes bytes from the front until a line is whole, which line() has then, without its end.
    Outcome take(std::string_view& bytes);
    // Lives until the next take(), and no longer than the bytes that were taken.
    std::string_view line() const { return line_; }
    std::size_t held_bytes() const { return kept_.capacity(); }

private:
    std::string kept_;
    std::string_view line_;
    std::size_t left_;
    bool kept_is_over_ = false;
};

}  // namespace runnel::http
