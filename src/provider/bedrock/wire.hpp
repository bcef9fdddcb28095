#pragma once

#include "provider/bedrock/converse_wire.hpp"
#include "provider/provider.hpp"

#include <memory>
#include <string>

namespace runnel::provider::bedrock {

// Reads whatever Bedrock answers into a Turn. What InvokeModel gives is the model's own format, in
// a stream as base64 inside an event: its first fields tell which one it is.
class BedrockWire final : public Wire {
public:
    explicit BedrockWire(json::Parser* parser) : parser_(parser), converse_(parser) {}

    std::unique_ptr<framing::Framing> framing_for(char first) const override;
    void on_frame(const framing::Frame& frame, Turn& turn) override;
    void on_body(Padded body, Turn& turn) override;
    std::size_t held_bytes() const override;

private:
    // The wire for such a document; null where nobody knows it.
    Wire* wire_for(Padded document);
    void on_chunk(Padded payload, Turn& turn);

    json::Parser* parser_;
    ConverseWire converse_;
    std::unique_ptr<Wire> native_;  // another format than Converse's
    Wire* chosen_ = nullptr;        // by the first chunk
    std::string chunk_;             // decoded
};

}  // namespace runnel::provider::bedrock
