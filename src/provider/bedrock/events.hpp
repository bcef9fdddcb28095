#pragma once

#include "base/padded.hpp"
#include "json/parser.hpp"
#include "timeline/event.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

// What the JSON of Bedrock's Converse API says, field by field, whatever the fields' order. Views
// lie in the parsed document and end with it; text is JSON-escaped.
namespace runnel::provider::bedrock {

struct Counts {
    std::optional<std::int64_t> input{};
    std::optional<std::int64_t> cache_read{};
    std::optional<std::int64_t> cache_write{};
    std::optional<std::int64_t> output{};
};

// A content block: as a stream begins it, a piece of it, or all of it.
struct Block {
    enum class Kind { unsaid, text, tool, reasoning, other } kind = Kind::unsaid;
    std::string_view text{};
    std::string_view id{};
    std::string_view name{};
    std::string_view tool_type{};  // empty: the client's to run
    std::string_view input{};      // a piece of its text
    std::string_view input_raw{};  // all of it: a JSON object
    std::string_view thinking{};
    std::string_view signature{};
    std::string_view redacted{};
    std::vector<timeline::Citation> citations{};
};

// One event of a stream, or a whole answer.
struct Event {
    // What the payload says itself that it is; most events have their name outside of it.
    std::string_view name{};
    std::int64_t index = 0;
    Block block{};
    std::string_view stop_reason{};
    Counts counts{};
    std::vector<Block> content{};  // of a whole answer
    bool has_content = false;
};

// False when it is not a JSON object. The event's views are valid until the parser's next parse.
bool read_event(json::Parser& parser, Padded text, Event& out);

}  // namespace runnel::provider::bedrock
