#pragma once

#include "chat/request.hpp"

#include <string>
#include <string_view>

// What stands in `thoughtSignature`: Gemini's own as it is; another model's signature or encrypted
// thinking with the name of whoever made it.
namespace runnel::api::gemini {

bool is_own(std::string_view issuer);

void append_signature(std::string& out, std::string_view issuer, std::string_view data_escaped);
void append_encrypted(std::string& out, std::string_view issuer, std::string_view data_escaped);

// A thought without its text; views lie in what was read. Nothing is signed by nobody.
chat::Reasoning read_signature(std::string_view carried_escaped);

}  // namespace runnel::api::gemini
