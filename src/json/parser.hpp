#pragma once

#include "base/padded.hpp"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::json {

namespace ondemand = simdjson::ondemand;

// One JSON parser with its buffers, shared by everything on a thread: a document lives only until
// the next parse(), so whoever parses must be done with it before giving up control. Its buffers
// grow with the largest document it saw: parse large client bodies with a Parser of their own and
// let it go.
class Parser {
public:
    // Bytes that are not UTF-8 are taken as lone surrogate escapes \udc80..\udcff (one per byte),
    // so that a character cut in two by the provider can be joined again by json::Joiner.
    simdjson::error_code parse(Padded text, ondemand::document& out);
    // The same for text that may be refused: bytes that are not UTF-8 are UTF8_ERROR, so every view
    // into the document is one into `text`.
    simdjson::error_code parse_strict(Padded text, ondemand::document& out);
    // Gives back what a large document made the buffers grow to; the document goes with them.
    void forget_large();

private:
    ondemand::parser parser_;
    std::string repaired_;
};

// A string value's bytes between the quotes, still escaped. False when the value is not a string.
bool escaped_string(ondemand::value value, std::string_view& out);

// A string value, unescaped into a std::string. False when the value is not a string.
bool plain_string(ondemand::value value, std::string& out);

// The value's JSON text as it stands in the document, whatever its type; trailing white space
// removed.
bool raw_value(ondemand::value value, std::string_view& out);

// A field's name as it stands in the document, still escaped.
std::string_view escaped_key(ondemand::field& field);

bool is_null(ondemand::value value);

// An integer, also when it is written as 12.0 or "12". False otherwise.
bool integer(ondemand::value value, std::int64_t& out);

// Reads everything below `value`, so that malformed JSON, bad escapes, nesting deeper than
// `depth_max` and numbers longer than limits::json_number_bytes are found before anything is passed
// on as raw text.
simdjson::error_code validate(ondemand::value value, std::size_t depth_max);
// The same for a document's root object, which itself is one level. Its keys, still escaped, are
// added to `keys` where they are asked for.
simdjson::error_code validate(ondemand::object object, std::size_t depth_max,
                              std::vector<std::string_view>* keys = nullptr);

// Whether the JSON text has more values than so many, keys aside. It is the number of values that
// makes JSON expensive, and they are counted before anybody parses them: the parser takes sixteen
// bytes for one that is written in two.
bool has_more_values(std::string_view text, std::size_t most);

// Where in `text` the first byte stands that is not part of any UTF-8 sequence; npos when all are.
std::size_t find_invalid_utf8(std::string_view text);

// True when `raw` is a well-formed JSON array or object. Not for the token path: it parses all of
// it.
bool is_whole(std::string_view raw);

// Appends `raw` JSON without the white space between its tokens.
void append_compact(std::string& out, std::string_view raw);

}  // namespace runnel::json
