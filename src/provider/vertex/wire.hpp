#pragma once

#include "provider/provider.hpp"

#include <memory>

namespace runnel::provider::vertex {

// Reads whatever Vertex AI's models answer into a Turn: Gemini, Claude and the OpenAI-compatible
// ones each have their own format there, and the first frame's fields tell which one it is.
class VertexWire final : public Wire {
public:
    explicit VertexWire(json::Parser* parser) : parser_(parser) {}

    std::unique_ptr<framing::Framing> framing_for(char first) const override;
    void on_frame(const framing::Frame& frame, Turn& turn) override;
    void on_body(Padded body, Turn& turn) override;
    std::size_t held_bytes() const override { return chosen_ ? chosen_->held_bytes() : 0; }

private:
    Wire& wire_for(Padded document);

    json::Parser* parser_;
    std::unique_ptr<Wire> chosen_;
};

}  // namespace runnel::provider::vertex
