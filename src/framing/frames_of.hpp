#pragma once

#include "framing/framing.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

// For tests of framings: the frames of a stream, copied out, however the stream is cut.
namespace runnel::framing {

struct CopiedFrame {
    std::string event;
    std::string data;
    friend bool operator==(const CopiedFrame&, const CopiedFrame&) = default;
    friend std::ostream& operator<<(std::ostream& out, const CopiedFrame& frame) {
        return out << '{' << frame.event << "|" << frame.data << '}';
    }
};

using CopiedFrames = std::vector<CopiedFrame>;

class FrameCopier final : public FrameSink {
public:
    void on_frame(const Frame& frame) override {
        frames.push_back({std::string(frame.event), std::string(frame.data.text())});
    }
    CopiedFrames frames;
};

// Each piece lies in memory of its own that is gone when the next one comes, so that a view kept
// too long is found.
inline CopiedFrames frames_of(Framing& framing, const std::vector<std::string_view>& pieces) {
    FrameCopier copier;
    for (const std::string_view piece : pieces) {
        std::string own(piece);
        EXPECT_TRUE(framing.feed(Padded::of(own), copier));
    }
    EXPECT_TRUE(framing.finish(copier));
    return copier.frames;
}

// Expects the same frames from the stream in one piece, cut in two at every place, and byte by
// byte.
template <class Make>
CopiedFrames frames_for_every_split(Make make, std::string_view wire) {
    auto whole_framing = make();
    const CopiedFrames whole = frames_of(whole_framing, {wire});
    for (std::size_t at = 0; at <= wire.size(); ++at) {
        auto framing = make();
        EXPECT_EQ(frames_of(framing, {wire.substr(0, at), wire.substr(at)}), whole)
            << "split at " << at;
    }
    std::vector<std::string_view> bytes;
    for (std::size_t at = 0; at < wire.size(); ++at) bytes.push_back(wire.substr(at, 1));
    auto framing = make();
    EXPECT_EQ(frames_of(framing, bytes), whole) << "byte by byte";
    return whole;
}

}  // namespace runnel::framing
