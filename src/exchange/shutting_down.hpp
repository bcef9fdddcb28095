#pragma once

#include "base/error.hpp"

namespace runnel::exchange {

// What a request is told that is ended because the process ends. A client that is gone is told
// nothing.
inline Error shutting_down() {
    return {ErrorKind::overloaded, "the gateway is shutting down; try again"};
}

}  // namespace runnel::exchange
