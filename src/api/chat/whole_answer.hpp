#pragma once

#include "api/chat/chat_style.hpp"
#include "api/dialect.hpp"

#include <string>

namespace runnel::api {

// An answer as one chat.completion object.
std::string whole_answer(const Envelope& envelope, const ChatStyle& style,
                         const timeline::Answer& answer);

}  // namespace runnel::api
