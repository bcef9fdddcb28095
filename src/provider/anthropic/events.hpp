#pragma once

#include "base/padded.hpp"
#include "json/parser.hpp"
#include "timeline/event.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

// What Anthropic's JSON says, field by field, whatever the fields' order. Views lie in the parsed
// document and end with it; text is JSON-escaped.
namespace runnel::provider::anthropic {

// Token counts of one report; what was null or not told is absent.
struct Counts {
    std::optional<std::int64_t> input{};
    std::optional<std::int64_t> cache_read{};
    std::optional<std::int64_t> cache_write{};
    std::optional<std::int64_t> output{};
    std::optional<std::int64_t> reasoning{};
};

// A content block, as content_block_start begins it or as a whole body holds it.
struct Block {
    std::string_view type{};
    std::string_view id{};
    std::string_view name{};
    std::string_view text{};
    std::string_view thinking{};
    std::string_view signature{};
    std::string_view data{};       // redacted_thinking
    std::string_view input_raw{};  // tool_use: a JSON object
    std::vector<timeline::Citation> citations{};
    std::string_view raw{};
    std::string others{};
};

// Why a message ended.
struct Stop {
    std::string_view reason{};
    std::string_view sequence{};  // the one that was hit
    std::string_view refusal{};   // why it was refused, in a sentence
};

// Whether what has no place in these structs is kept, too: `raw` is all of a thing, `others` are
// the members of it that nobody here knows, with commas between.
enum class Natives { left_out, kept };

struct Message {
    std::string_view type{};
    std::string_view id{};
    Stop stop{};
    std::vector<Block> content{};
    Counts counts{};
    std::string_view usage_raw{};
    std::string others{};
    bool has_content = false;
    bool is_error = false;
};

struct Delta {
    std::string_view type{};
    std::string_view text{};
    std::string_view thinking{};
    std::string_view partial_json{};
    std::string_view signature{};
    std::optional<timeline::Citation> citation{};
    Stop stop{};
    std::string_view raw{};
    std::string others{};
};

// One event of a stream.
struct Event {
    std::string_view type{};
    std::int64_t index = -1;
    Block block{};      // content_block_start
    Delta delta{};      // content_block_delta, message_delta
    Message message{};  // message_start
    Counts counts{};    // message_delta
    std::string_view usage_raw{};
    std::string others{};
    bool is_error = false;
};

// False when it is not a JSON object. The event's views are valid until the parser's next parse.
bool read_event(json::Parser& parser, Padded text, Natives natives, Event& out);
bool read_message(json::Parser& parser, Padded text, Natives natives, Message& out);

}  // namespace runnel::provider::anthropic
