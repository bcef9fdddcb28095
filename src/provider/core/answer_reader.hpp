#pragma once

#include "provider/core/turn.hpp"
#include "provider/provider.hpp"

#include <memory>
#include <string>

namespace runnel::provider {

// Reads one upstream answer from its bytes, however they are cut: sees by the first byte whether it
// is a stream of events, of lines, of array elements, or one JSON document, and lets the wire read
// it into the turn.
class AnswerReader final : private framing::FrameSink {
public:
    AnswerReader(std::unique_ptr<Wire> wire, TurnOptions options, timeline::Sink* sink,
                 IdSource* ids);

    // `bytes` must stay put during the call only. Once ended() is true nothing more is read.
    void feed(Padded bytes);
    // There will be no more bytes, for whatever reason; ends the timeline if it has not ended yet.
    void finish();
    // Ends the timeline with this failure (a time-out, a lost connection).
    void fail(Error error);

    bool ended() const { return turn_.ended(); }
    const Turn& turn() const { return turn_; }
    // Of an answer that is told only when it is whole.
    std::size_t document_bytes() const { return document_.size(); }
    // Of all that it keeps until it can be told.
    std::size_t held_bytes() const;

private:
    void on_frame(const framing::Frame& frame) override;
    void read_document();
    // White space and a byte order mark before the first byte that tells; returns what follows
    // them.
    Padded skip_preamble(Padded bytes);

    std::unique_ptr<Wire> wire_;
    Turn turn_;
    enum class Form { unknown, frames, document } form_ = Form::unknown;
    std::unique_ptr<framing::Framing> framing_;
    std::string document_;
    bool at_end_ = false;  // no more bytes come
};

}  // namespace runnel::provider
