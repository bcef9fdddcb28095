#pragma once

#include "base/error.hpp"
#include "base/padded.hpp"

#include <cstddef>
#include <cstdint>

namespace runnel::provider {

// Who reads the bytes of one upstream answer, as they come. However it ends, it ends once.
class AnswerBody {
public:
    virtual ~AnswerBody() = default;

    // `bytes` must stay put during the call only. Once ended() is true nothing more is read.
    virtual void feed(Padded bytes) = 0;
    // There will be no more bytes, for whatever reason.
    virtual void finish() = 0;
    // It ends with this failure (a time-out, a lost connection).
    virtual void fail(Error error) = 0;
    virtual bool ended() const = 0;

    // Whether all that matters has come, though more may follow that nobody waits for long.
    enum class Whole { no, perhaps, yes };
    virtual Whole is_whole() const = 0;
    // Something has been told of it already.
    virtual bool any_output() const = 0;
    // Grows as the answer gets on; what only keeps the connection alive does not count.
    virtual std::uint64_t progress() const = 0;
    // Of all that it keeps until it can be told.
    virtual std::size_t held_bytes() const = 0;
};

}  // namespace runnel::provider
