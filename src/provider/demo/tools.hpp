#pragma once

#include "chat/request.hpp"
#include "provider/demo/script.hpp"

#include <string>

namespace runnel::provider::demo {

// Escaped, like all text here; empty when the user said nothing.
std::string last_user_text(const chat::Request& request);

enum class Calls { one, all };

// Calls the tools that the request brings, whatever it asks; with their results, tells those.
void use_tools(const chat::Request& request, Calls wish, Answer& answer);

// Thinks and says so, calls the tools that the question is about, one a round, then tells their
// results.
void work_in_rounds(const chat::Request& request, Answer& answer);

}  // namespace runnel::provider::demo
