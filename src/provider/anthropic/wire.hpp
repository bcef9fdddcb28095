#pragma once

#include "provider/anthropic/events.hpp"
#include "provider/provider.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::anthropic {

// Models without structured output get the schema as this tool, and its arguments are the answer's
// text.
inline constexpr std::string_view answer_tool = "runnel_json_answer";

// Reads the Messages API's stream, or its whole body, into a Turn.
class MessagesWire final : public Wire {
public:
    explicit MessagesWire(json::Parser* parser) : parser_(parser) {}

    std::unique_ptr<framing::Framing> framing_for(char first) const override;
    void on_frame(const framing::Frame& frame, Turn& turn) override;
    void on_body(Padded body, Turn& turn) override;
    std::size_t held_bytes() const override;

private:
    enum class Kind { text, thinking, redacted, tool, answer, ignored };
    // A content block between its start and its stop. Anthropic has one at a time, servers that
    // copy it may have more.
    struct OpenBlock {
        std::int64_t index;
        Kind kind;
        // For clients of this API, until something is said in it: all of it, and what is unusual.
        std::string raw{};
        std::string others{};
        std::string input{};     // escaped; told at the end, unless the arguments come as deltas
        std::string thinking{};  // escaped, with its signature: what the next turn has to give back
        std::string signature{};
    };

    static Kind kind_of(const Block& block);
    OpenBlock* find(std::int64_t index);
    void start_message(const Message& message, Turn& turn);
    void start_block(std::int64_t index, const Block& block, Turn& turn);
    void add_delta(std::int64_t index, const Delta& delta, Turn& turn);
    void end_block(std::int64_t index, Turn& turn);
    void end_message(Turn& turn);
    void tell_block_begin(OpenBlock& open, const Block& block, Turn& turn);
    void begin_saying(OpenBlock* open, Turn& turn);
    void tell_addition(OpenBlock* block, const Delta& delta, Turn& turn);
    void count(const Counts& counts, std::string_view raw, Turn& turn);

    json::Parser* parser_;
    bool started_ = false;
    std::string message_id_;
    std::vector<OpenBlock> open_;
    std::string signed_blocks_;  // thinking so far, as JSON values with commas between
    timeline::Usage usage_;
};

}  // namespace runnel::provider::anthropic
