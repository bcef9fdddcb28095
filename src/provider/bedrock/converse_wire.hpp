#pragma once

#include "provider/bedrock/events.hpp"
#include "provider/provider.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::bedrock {

// Reads what Converse and ConverseStream answer into a Turn; Nova's own format is the same but for
// its events' names, which stand inside.
class ConverseWire final : public Wire {
public:
    explicit ConverseWire(json::Parser* parser) : parser_(parser) {}

    std::unique_ptr<framing::Framing> framing_for(char first) const override;
    void on_frame(const framing::Frame& frame, Turn& turn) override;
    void on_body(Padded body, Turn& turn) override;
    std::size_t held_bytes() const override;

private:
    enum class Kind { text, reasoning, tool, answer, ignored };
    // A content block between its first piece and its stop.
    struct OpenBlock {
        std::int64_t index;
        Kind kind;
        std::string thinking{};  // escaped, with its signature: what the next turn has to give back
        std::string signature{};
    };

    static Kind kind_of(const Block& block);
    OpenBlock* find(std::int64_t index);
    OpenBlock* open_block(std::int64_t index, Kind kind, Turn& turn);
    void start_block(std::int64_t index, const Block& block, Turn& turn);
    void add_piece(std::int64_t index, const Block& block, Turn& turn);
    void add_reasoning(OpenBlock& open, const Block& block, Turn& turn);
    void end_block(std::int64_t index, Turn& turn);
    void stop(std::string_view reason, Turn& turn);
    static void count(const Counts& counts, Turn& turn);

    json::Parser* parser_;
    std::vector<OpenBlock> open_;
    std::string signed_blocks_;  // reasoning so far, as JSON values with commas between
    bool stopped_ = false;
};

}  // namespace runnel::provider::bedrock
