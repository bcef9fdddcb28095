#pragma once

#include "base/error.hpp"
#include "timeline/event.hpp"

#include <string_view>
#include <variant>

namespace runnel::provider {

// The family's finish_reason is a finish, a failure that only looks like one, or nothing yet.
struct NotFinished {};
using FinishReason = std::variant<NotFinished, timeline::Finish, ErrorKind>;

// Names nobody knows count as `stop`.
FinishReason read_openai_finish(std::string_view native);

}  // namespace runnel::provider
