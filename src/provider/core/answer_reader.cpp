#include "provider/core/answer_reader.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>

namespace runnel::provider {

AnswerReader::AnswerReader(std::unique_ptr<Wire> wire, TurnOptions options, timeline::Sink* sink,
                           IdSource* ids)
    : wire_(std::move(wire)),
      turn_(std::move(options), sink, ids) {}

void AnswerReader::feed(Padded bytes) {
    if (form_ == Form::unknown) {
        bytes = skip_preamble(bytes);
        if (bytes.empty()) return;
        framing_ = wire_->framing_for(bytes.text()[0]);
        form_ = framing_ ? Form::frames : Form::document;
    }
    if (turn_.ended()) return;
    if (form_ == Form::frames) {
        if (auto fed = framing_->feed(bytes, *this); !fed) turn_.fail(std::move(fed.error()));
        return;
    }
    if (document_.empty()) document_.reserve(bytes.size() + padding_bytes);
    document_ += bytes.text();
    if (document_.size() > limits::upstream_body_bytes)
        turn_.fail({ErrorKind::upstream_malformed,
                    fmt::format("{} sent an answer larger than {} bytes",
                                turn_.options().display_name, limits::upstream_body_bytes)});
}

void AnswerReader::finish() {
    at_end_ = true;
    if (!turn_.ended() && form_ == Form::frames) {
        if (auto done = framing_->finish(*this); !done) turn_.fail(std::move(done.error()));
    } else if (!turn_.ended() && form_ == Form::document) {
        read_document();
    }
    turn_.close();
}

void AnswerReader::read_document() {
    if (json::has_more_values(document_, limits::upstream_values))
        return turn_.fail({ErrorKind::upstream_malformed,
                           fmt::format("{} sent an answer of more than {} values",
                                       turn_.options().display_name, limits::upstream_values)});
    wire_->on_body(Padded::of(document_), turn_);
}

void AnswerReader::fail(Error error) { turn_.fail(std::move(error)); }

AnswerBody::Whole AnswerReader::is_whole() const {
    if (!turn_.finish_seen()) return Whole::no;
    const bool perhaps = turn_.options().finish_means == TurnOptions::FinishMeans::perhaps;
    return perhaps ? Whole::perhaps : Whole::yes;
}

std::size_t AnswerReader::held_bytes() const {
    return document_.capacity() + (framing_ ? framing_->held_bytes() : 0) + wire_->held_bytes() +
           turn_.held_bytes();
}

void AnswerReader::on_frame(const framing::Frame& frame) {
    if (turn_.ended()) return;
    // A last frame without its end mark may have been cut anywhere, and half of it must not be
    // told.
    if (at_end_ && frame.data.text().starts_with('{') && !json::is_whole(frame.data.text())) {
        turn_.malformed();
        return;
    }
    wire_->on_frame(frame, turn_);
}

Padded AnswerReader::skip_preamble(Padded bytes) {
    // DeepSeek keeps a waiting connection alive with blank lines before the JSON. A byte order mark
    // is left alone when it begins a stream of events: that decoder drops it itself.
    const std::size_t begin = bytes.text().find_first_not_of(" \t\r\n");
    return begin == std::string_view::npos ? Padded() : bytes.part(begin);
}

}  // namespace runnel::provider
