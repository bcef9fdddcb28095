#pragma once

#include "framing/framing.hpp"

#include <string>

namespace runnel::framing {

// One JSON value per line (Ollama's own API). Blank lines are skipped.
class JsonLines final : public Framing {
public:
    explicit JsonLines(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

    Result<void> feed(Padded bytes, FrameSink& sink) override;
    Result<void> finish(FrameSink& sink) override;
    std::size_t held_bytes() const override { return line_.capacity(); }

private:
    std::size_t frame_bytes_max_;
    std::string line_;  // the unfinished line at the end of the last read
};

}  // namespace runnel::framing
