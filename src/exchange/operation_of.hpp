#pragma once

#include "chat/operation.hpp"
#include "chat/request.hpp"

namespace runnel::exchange {

// As the request stands now: what is added to it later is not counted.
chat::Operation operation_of(const chat::Request& request);

}  // namespace runnel::exchange
