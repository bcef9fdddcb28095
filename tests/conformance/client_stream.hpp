#pragma once

#include "answer.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// A strict reader of what the client receives, in any dialect. It takes nothing on trust: framing
// byte by byte, which keys, in which order, what may follow what.
namespace runnel::conformance {

struct ExpectedEnvelope {
    std::string id = "chatcmpl-T";
    std::int64_t created = 1700000000;
    std::string model = "m1";
    bool include_usage = false;
    std::string dialect = "openai";
};

struct ClientStream {
    Answer answer;
    std::vector<std::string> violations;
    std::vector<std::string> steps;  // frames about tools that the gateway ran, in order

    // One violation a line; empty when the stream is right.
    std::string report() const;
};

ClientStream read_client_stream(std::string_view bytes, const ExpectedEnvelope& expected);

}  // namespace runnel::conformance
