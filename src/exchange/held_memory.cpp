#include "exchange/held_memory.hpp"

#include <fmt/format.h>

#include <chrono>

namespace runnel::exchange {

Result<void> HeldMemory::refused(std::size_t bytes) {
    if (bytes > limits::held_answer_bytes)
        return fail(ErrorKind::upstream_malformed,
                    fmt::format("the provider's answer takes more than {} MiB while it waits, "
                                "which no answer may; ask for a shorter one",
                                limits::held_answer_bytes / limits::mib));
    Error error{ErrorKind::overloaded, "the gateway has no memory left for this; try again"};
    error.retry_after = std::chrono::seconds(1);
    return fail(std::move(error));
}

}  // namespace runnel::exchange
