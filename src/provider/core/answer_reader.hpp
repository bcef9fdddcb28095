#pragma once

#include "provider/core/answer_body.hpp"
#include "provider/core/turn.hpp"
#include "provider/provider.hpp"

#include <memory>
#include <string>

namespace runnel::provider {

// Reads one upstream answer from its bytes, however they are cut: sees by the first byte whether it
// is a stream of events, of lines, of array elements, or one JSON document, and lets the wire read
// it into the turn.
class AnswerReader final : public AnswerBody, private framing::FrameSink {
public:
    AnswerReader(std::unique_ptr<Wire> wire, TurnOptions options, timeline::Sink* sink,
                 IdSource* ids);

    void feed(Padded bytes) override;
    // Ends the timeline if it has not ended yet.
    void finish() override;
    void fail(Error error) override;

    bool ended() const override { return turn_.ended(); }
    Whole is_whole() const override;
    bool any_output() const override { return turn_.any_output(); }
    // What the model has said, or how much has come of an answer that is told when it is whole.
    std::uint64_t progress() const override { return turn_.output_count() + document_.size(); }
    std::size_t held_bytes() const override;
    const Turn& turn() const { return turn_; }

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
