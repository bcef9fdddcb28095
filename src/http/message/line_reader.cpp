#include "http/message/line_reader.hpp"

#include <utility>

namespace runnel::http {

LineReader::Outcome LineReader::take(std::string_view& bytes) {
    if (std::exchange(kept_is_over_, false)) kept_.clear();
    const std::size_t end = bytes.find('\n');
    const bool is_over = end != std::string_view::npos;
    const std::string_view piece = bytes.substr(0, is_over ? end + 1 : bytes.size());
    if (piece.size() > left_) return Outcome::too_long;
    left_ -= piece.size();
    bytes.remove_prefix(piece.size());
    if (!is_over) {
        kept_ += piece;
        return Outcome::more;
    }
    line_ = piece;
    if (!kept_.empty()) {
        kept_ += piece;
        kept_is_over_ = true;
        line_ = kept_;
    }
    if (!line_.ends_with("\r\n")) return Outcome::bare_line_feed;
    line_.remove_suffix(2);
    return Outcome::line;
}

}  // namespace runnel::http
