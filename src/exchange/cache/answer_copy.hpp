#pragma once

#include "timeline/archive.hpp"
#include "timeline/event.hpp"

#include <chrono>
#include <cstddef>

namespace runnel::exchange {

// What the client is told, kept beside it: for the cache, and for the log where
// it keeps what is said. Of what is longer than `bytes_max` the rest is
// missing.
class AnswerCopy final : public timeline::Sink {
public:
    explicit AnswerCopy(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    void on(const timeline::Event& event) override;
    // What was told up to here stays; what comes after it may be dropped.
    void keep() { kept_ = recording_.events().size(); }
    void drop() { recording_.shorten(kept_); }

    std::size_t held_bytes() const override { return recording_.bytes(); }
    const timeline::TimedRecording& recording() const { return recording_; }

private:
    using Clock = std::chrono::steady_clock;

    std::size_t bytes_max_;
    Clock::time_point begun_ = Clock::now();
    timeline::TimedRecording recording_;
    std::size_t kept_ = 0;
};

}  // namespace runnel::exchange
