#pragma once

#include "plain_json.hpp"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// What a client asks, in no API's words: made at random, written as a client of an API would, and
// read again from what a provider is sent. Nothing of the gateway's is used for it.
namespace runnel::conformance {

// One thing that was said, in its place.
struct Said {
    enum class What { system, user, assistant, image, call, result } what;
    std::string text{};       // words; an image's base64; the name of a called tool
    std::string arguments{};  // of a call, as JSON
    int call = -1;            // result: which of all calls it answers
    bool failed = false;      // result

    friend bool operator==(const Said&, const Said&) = default;
};

struct AskedTool {
    std::string name;
    std::string description;
    Json schema;
};

struct RequestCase {
    std::vector<Said> said{};
    std::vector<AskedTool> tools{};
    std::string choice{};  // auto, none, required, a tool's name; empty: unsaid
    Json output_schema{};  // null: text
    bool one_call_only = false;
    // Numbers, texts and lists by their names in chat completions.
    std::map<std::string, Json> fields{};
};

// Only what a client of this API can say.
RequestCase random_case(std::string_view api, std::mt19937& random);

// As a client of this API writes it who asks for this model.
std::string written_as(std::string_view api, const RequestCase& asked, std::string_view model);

// Read from the body that a provider of this kind is sent.
RequestCase read_from(std::string_view provider, const Json& body);

// Each on a line of its own; for failed tests.
std::string describe(const RequestCase& asked);

}  // namespace runnel::conformance
