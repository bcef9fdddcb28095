#pragma once

#include "framing/framing.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace runnel::framing {

// CRC-32 as gzip has it. `before` is the sum of what came before `bytes`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

// AWS' binary event stream (application/vnd.amazon.eventstream): messages with a length, headers, a
// payload and two checksums. A frame is a message's payload and has its :event-type for a name; an
// exception and an error are failures, with their type or code. A message whose sums are wrong is
// an error, because nobody can say where the next one begins.
//
// A message that lies whole in one read is handed out in place; only what a read's end cuts in two
// is copied.
class EventStream final : public Framing {
public:
    explicit EventStream(std::size_t message_bytes_max) : message_bytes_max_(message_bytes_max) {}

    Result<void> feed(Padded bytes, FrameSink& sink) override;
    // A message that was begun and not ended says nothing: the answer's missing end will show.
    Result<void> finish(FrameSink& sink) override;
    std::size_t held_bytes() const override { return message_.capacity(); }

private:
    // The length that the message's first twelve bytes tell, once they have been checked.
    Result<std::size_t> message_bytes(std::string_view prelude) const;
    // How many more bytes the message that has been begun needs, as far as that is known by now.
    Result<std::size_t> missing_bytes() const;

    std::size_t message_bytes_max_;
    std::string message_;  // the unfinished one at the end of the last read
};

}  // namespace runnel::framing
