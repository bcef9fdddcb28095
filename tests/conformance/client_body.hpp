#pragma once

#include "answer.hpp"
#include "client_stream.hpp"

#include <string>
#include <string_view>
#include <vector>

// A strict reader of the one JSON object that a client gets when it does not stream.
namespace runnel::conformance {

struct ClientBody {
    Answer answer;
    std::vector<std::string> violations;

    std::string report() const;
};

// A chat.completion, or {"error":{…}} where the answer failed.
ClientBody read_client_body(std::string_view bytes, const ExpectedEnvelope& expected);

}  // namespace runnel::conformance
