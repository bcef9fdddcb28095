#include "framing/event_stream.hpp"

#include "check.hpp"

namespace {

using namespace runnel;

constexpr std::size_t message_bytes_max = 4096;

class Copier final : public framing::FrameSink {
public:
    void on_frame(const framing::Frame& frame) override {
        fuzz::require(frame.data.size() <= message_bytes_max, "messages are bounded");
        all.append(frame.event).append("|").append(frame.data.text()).append("\n");
    }
    std::string all;
};

// The frames of a stream that is read in pieces of this size, until one is broken.
std::string frames_of(std::string_view bytes, std::size_t size) {
    Copier copier;
    framing::EventStream stream(message_bytes_max);
    while (!bytes.empty()) {
        std::string piece(bytes.substr(0, size));
        bytes.remove_prefix(piece.size());
        if (!stream.feed(Padded::of(piece), copier)) return copier.all + "broken";
        fuzz::require(stream.held_bytes() <= 2 * message_bytes_max, "what is held is bounded");
    }
    return copier.all;
}

void put_big_endian(std::string& bytes, std::size_t at, std::uint32_t number) {
    for (int i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(number >> (24 - 8 * i) & 0xFF);
}

// One message around any bytes, with sums that are right: those behind them are reached, too.
std::string sealed(std::string_view bytes, std::uint32_t headers_size) {
    std::string message = std::string(12, '\0') + std::string(bytes) + std::string(4, '\0');
    put_big_endian(message, 0, static_cast<std::uint32_t>(message.size()));
    put_big_endian(message, 4, headers_size);
    put_big_endian(message, 8, framing::crc32(std::string_view(message).substr(0, 8)));
    put_big_endian(message, message.size() - 4,
                   framing::crc32(std::string_view(message).substr(0, message.size() - 4)));
    return message;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = fuzz::cut_input(data, size);
    if (input.split == 0 || input.bytes.empty() || input.bytes.size() > message_bytes_max) return 0;
    const auto headers = static_cast<std::uint8_t>(input.bytes[0]);
    const std::string message = sealed(input.bytes.substr(1), headers);
    for (const std::string_view bytes : {input.bytes, std::string_view(message)}) {
        const std::string whole = frames_of(bytes, bytes.size());
        fuzz::require(frames_of(bytes, input.split) == whole, "cuts do not matter", whole);
    }
    return 0;
}
