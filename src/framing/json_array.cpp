#include "framing/json_array.hpp"

#include <fmt/format.h>

namespace runnel::framing {

Result<void> JsonArray::feed(Padded bytes, FrameSink& sink) {
    for (const char c : bytes.text()) {
        if (depth_ == 0 && c != '{') continue;
        object_ += c;
        if (after_backslash_) {
            after_backslash_ = false;
        } else if (in_string_) {
            if (c == '\\') after_backslash_ = true;
            if (c == '"') in_string_ = false;
        } else if (c == '"') {
            in_string_ = true;
        } else if (c == '{') {
            ++depth_;
        } else if (c == '}' && --depth_ == 0) {
            sink.on_frame({{}, Padded::of(object_)});
            object_.clear();
        }
    }
    if (object_.size() <= frame_bytes_max_) return {};
    return fail(ErrorKind::upstream_malformed,
                fmt::format("a stream element is larger than {} bytes", frame_bytes_max_));
}

// An object that is not whole can't be read: the stream was cut, which its missing finish will
// show.
Result<void> JsonArray::finish(FrameSink&) { return {}; }

}  // namespace runnel::framing
