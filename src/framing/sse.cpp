#include "framing/sse.hpp"

#include <fmt/format.h>

#include <cstring>

namespace runnel::framing {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::size_t line_end(std::string_view text, std::size_t from) {
    const std::size_t feed = text.find('\n', from);
    const std::size_t scan_end = feed == std::string_view::npos ? text.size() : feed;
    const void* carriage = std::memchr(text.data() + from, '\r', scan_end - from);
    if (carriage == nullptr) return feed;
    return static_cast<std::size_t>(static_cast<const char*>(carriage) - text.data());
}

}  // namespace

Decoder::Decoder(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

Result<void> Decoder::feed(Padded bytes, FrameSink& sink) {
    const std::string_view text = bytes.text();
    std::size_t at = 0;
    if (skip_line_feed_ && !text.empty()) {
        skip_line_feed_ = false;
        if (text[0] == '\n') at = 1;
    }
    while (at < text.size()) {
        const std::size_t end = line_end(text, at);
        if (end == std::string_view::npos) {
            line_.append(text, at);
            break;
        }
        if (line_.empty()) {
            take_line(bytes.part(at, end - at), sink);
        } else {
            line_.append(text, at, end - at);
            std::string line = std::move(line_);
            line_.clear();
            take_line(Padded::of(line), sink);
            keep_view();
        }
        at = end + 1;
        if (text[end] == '\r') {
            if (at < text.size()) {
                if (text[at] == '\n') ++at;
            } else {
                skip_line_feed_ = true;
            }
        }
        if (auto fits = check_size(); !fits) return fits;
    }
    keep_view();
    return check_size();
}

Result<void> Decoder::finish(FrameSink& sink) {
    if (!line_.empty()) {
        std::string line = std::move(line_);
        line_.clear();
        take_line(Padded::of(line), sink);
        keep_view();
    }
    dispatch(sink);
    return {};
}

void Decoder::take_line(Padded line, FrameSink& sink) {
    if (first_line_) {
        first_line_ = false;
        if (line.text().starts_with(byte_order_mark)) line = line.part(byte_order_mark.size());
    }
    const std::string_view text = line.text();
    if (text.empty()) {
        dispatch(sink);
        return;
    }
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view field = text.substr(0, colon);
    // No line of pretty-printed JSON begins so: the bare event is over, though nobody left a blank
    // line.
    if (state_ == Data::bare && (field == "data" || field == "event")) dispatch(sink);
    if (state_ == Data::bare || (text[0] == '{' && state_ == Data::none)) {
        add_bare_line(text);
        return;
    }
    std::size_t value_at = std::min(colon + 1, text.size());
    if (value_at < text.size() && text[value_at] == ' ') ++value_at;
    if (field == "data") {
        const Padded value = line.part(value_at);
        if (begins_another(value.text())) dispatch(sink);
        add_data(value);
    } else if (field == "event") {
        if (state_ != Data::none && !event_.empty())
            dispatch(sink);  // a second name: another event
        event_ = text.substr(value_at);
    } else if (field == "error") {
        event_ = "error";
        add_data(line.part(value_at));
    }
    // Comments (an empty field name), id, retry and unknown fields say nothing about the answer.
}

// Nothing that begins a JSON value follows the brace that ends one.
bool Decoder::begins_another(std::string_view value) const {
    const std::string_view before = state_ == Data::viewed ? view_.text() : data_;
    return before.ends_with('}') && (value.starts_with('{') || value == "[DONE]");
}

void Decoder::add_data(Padded value) {
    if (state_ == Data::none) {
        view_ = value;
        state_ = Data::viewed;
        return;
    }
    keep_view();
    data_ += '\n';
    data_ += value.text();
}

void Decoder::add_bare_line(std::string_view line) {
    if (state_ == Data::bare) data_ += '\n';
    data_ += line;
    state_ = Data::bare;
}

void Decoder::dispatch(FrameSink& sink) {
    if (state_ != Data::none) {
        const Padded data = state_ == Data::viewed ? view_ : Padded::of(data_);
        // WHATWG: an event without data is not dispatched.
        if (!data.empty())
            sink.on_frame({state_ == Data::bare ? std::string_view("bare") : event_, data});
        data_.clear();
        state_ = Data::none;
    }
    event_.clear();
}

void Decoder::keep_view() {
    if (state_ != Data::viewed) return;
    data_.assign(view_.text());
    state_ = Data::owned;
}

Result<void> Decoder::check_size() const {
    if (line_.size() <= frame_bytes_max_ && data_.size() <= frame_bytes_max_) return {};
    return fail(ErrorKind::upstream_malformed,
                fmt::format("a stream event is larger than {} bytes", frame_bytes_max_));
}

}  // namespace runnel::framing
