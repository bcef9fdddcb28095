#pragma once

#include "base/padded.hpp"
#include "base/result.hpp"

#include <memory>
#include <string_view>

namespace runnel::framing {

// One event of a stream. A view, valid during the call that hands it out.
struct Frame {
    std::string_view event;  // the event's name; empty when it has none
    Padded data;
    // Whether the framing itself says that it went wrong; `event` is then the failure's name.
    enum class Tells { event, failure } tells = Tells::event;
};

class FrameSink {
public:
    virtual ~FrameSink() = default;
    virtual void on_frame(const Frame& frame) = 0;
};

// Cuts a stream of bytes into frames, whatever the reads' boundaries. An error (a frame past its
// limit) is final.
class Framing {
public:
    virtual ~Framing() = default;
    virtual Result<void> feed(Padded bytes, FrameSink& sink) = 0;
    // The stream is over; what is left may be a last frame without its end mark.
    virtual Result<void> finish(FrameSink& sink) = 0;
    // Of what waits for the rest of its frame.
    virtual std::size_t held_bytes() const = 0;
};

}  // namespace runnel::framing
