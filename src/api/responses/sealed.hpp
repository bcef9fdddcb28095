#pragma once

#include "chat/request.hpp"

#include <string>
#include <string_view>

// `encrypted_content`: what a provider wants back with the reasoning of an earlier turn, as clients
// carry it. OpenAI's own is as OpenAI made it; all else names who made it, and what it is.
namespace runnel::api::responses {

enum class Seal { signature, encrypted };

// Appends it, escaped.
void append_sealed(std::string& out, Seal seal, std::string_view issuer, std::string_view data);

// Puts it into the reasoning that it came with.
void read_sealed(std::string_view carried_escaped, chat::Reasoning& reasoning);

}  // namespace runnel::api::responses
