#pragma once

#include "framing/framing.hpp"

#include <string>

namespace runnel::framing {

// Server-sent events by WHATWG's rules: CR, LF and CRLF, comments, several data lines, a byte order
// mark, names. Beyond them, because providers do so: a field named `error` is an event of that name
// (llama-box), lines that begin with `{` are an event of the name `bare` (Gemini puts a
// pretty-printed error into an open stream), and a data line with another JSON object is another
// event (some gateways leave no blank line between theirs).
//
// A frame that lies whole in one read is handed out in place; only what a read's end cuts in two is
// copied. Invariant: `line_` holds no line end, and at most one of `data_` (owned) and `view_` (in
// the caller's bytes) is used.
class Decoder final : public Framing {
public:
    explicit Decoder(std::size_t frame_bytes_max);

    Result<void> feed(Padded bytes, FrameSink& sink) override;
    Result<void> finish(FrameSink& sink) override;
    std::size_t held_bytes() const override {
        return line_.capacity() + data_.capacity() + event_.capacity();
    }

private:
    void take_line(Padded line, FrameSink& sink);
    bool begins_another(std::string_view value) const;
    void add_data(Padded value);
    void add_bare_line(std::string_view line);
    void dispatch(FrameSink& sink);
    void keep_view();
    Result<void> check_size() const;

    std::size_t frame_bytes_max_;
    std::string line_;  // the unfinished line at the end of the last read
    std::string data_;  // the event's data where it had to be copied
    Padded view_;       // the event's data where it lies in the caller's bytes
    std::string event_;
    enum class Data { none, viewed, owned, bare } state_ = Data::none;
    bool first_line_ = true;
    bool skip_line_feed_ =
        false;  // the last read ended with CR: an LF that begins the next one belongs to it
};

}  // namespace runnel::framing
