#include "framing/json_lines.hpp"

#include <fmt/format.h>

namespace runnel::framing {
namespace {

void hand_out(Padded line, FrameSink& sink) {
    if (line.text().find_first_not_of(" \t\r") == std::string_view::npos) return;
    sink.on_frame({{}, line});
}

}  // namespace

Result<void> JsonLines::feed(Padded bytes, FrameSink& sink) {
    const std::string_view text = bytes.text();
    std::size_t at = 0;
    for (std::size_t end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1) {
        if (line_.empty()) {
            hand_out(bytes.part(at, end - at), sink);
        } else {
            line_.append(text, at, end - at);
            hand_out(Padded::of(line_), sink);
            line_.clear();
        }
    }
    line_.append(text, at);
    if (line_.size() <= frame_bytes_max_) return {};
    return fail(ErrorKind::upstream_malformed,
                fmt::format("a stream line is larger than {} bytes", frame_bytes_max_));
}

Result<void> JsonLines::finish(FrameSink& sink) {
    hand_out(Padded::of(line_), sink);
    line_.clear();
    return {};
}

}  // namespace runnel::framing
