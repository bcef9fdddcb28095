#pragma once

#include "framing/framing.hpp"

#include <string>

namespace runnel::framing {

// The objects of one JSON array, each as soon as it is whole (Gemini without alt=sse). What stands
// between them is skipped; the array's end needs not come.
class JsonArray final : public Framing {
public:
    explicit JsonArray(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

    Result<void> feed(Padded bytes, FrameSink& sink) override;
    Result<void> finish(FrameSink& sink) override;
    std::size_t held_bytes() const override { return object_.capacity(); }

private:
    std::size_t frame_bytes_max_;
    std::string object_;     // the object being read
    std::size_t depth_ = 0;  // of braces, inside the object
    bool in_string_ = false;
    bool after_backslash_ = false;
};

}  // namespace runnel::framing
