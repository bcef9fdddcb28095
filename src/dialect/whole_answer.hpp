#pragma once

#include "dialect/chat_style.hpp"
#include "dialect/dialect.hpp"

#include <string>

namespace runnel::dialect {

// An answer as one chat.completion object.
std::string whole_answer(const Envelope& envelope, const ChatStyle& style,
                         const timeline::Answer& answer);

}  // namespace runnel::dialect
