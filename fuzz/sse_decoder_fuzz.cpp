#include "check.hpp"
#include "framing/sse.hpp"

namespace {

using namespace runnel;

constexpr std::size_t frame_bytes_max = 4096;

class Copier final : public framing::FrameSink {
public:
    void on_frame(const framing::Frame& frame) override {
        fuzz::require(frame.data.size() <= 2 * frame_bytes_max + 1, "frames are bounded");
        all.append(frame.event).append("|").append(frame.data.text()).append("\n");
    }
    std::string all;
};

// The frames of a stream that is read in pieces of this size, until one is too large.
std::string frames_of(std::string_view bytes, std::size_t size) {
    Copier copier;
    framing::Decoder decoder(frame_bytes_max);
    while (!bytes.empty()) {
        std::string piece(bytes.substr(0, size));
        bytes.remove_prefix(piece.size());
        if (!decoder.feed(Padded::of(piece), copier)) return {};
    }
    if (!decoder.finish(copier)) return {};
    return copier.all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = fuzz::cut_input(data, size);
    if (input.split == 0 || input.bytes.size() > frame_bytes_max) return 0;
    const std::string whole = frames_of(input.bytes, input.bytes.size());
    fuzz::require(frames_of(input.bytes, input.split) == whole, "cuts do not matter", whole);
    return 0;
}
