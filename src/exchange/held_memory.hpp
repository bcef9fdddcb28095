#pragma once

#include "base/limits.hpp"
#include "base/memory_budget.hpp"
#include "base/result.hpp"

#include <cstddef>

namespace runnel::exchange {

// What one answer keeps in memory, in one place where it waits: counted in the process's budget,
// and never more than one answer may have.
class HeldMemory {
public:
    // `budget` must outlive it; null: only the answer's own bound counts.
    explicit HeldMemory(MemoryBudget* budget) : share_(budget, MemoryBudget::Use::answers) {}

    // So much is kept from now on. The error is why it can't be, and the client's to see.
    Result<void> hold(std::size_t bytes) {
        if (bytes <= limits::held_answer_bytes && share_.resize(bytes)) return {};
        return refused(bytes);
    }

private:
    static Result<void> refused(std::size_t bytes);

    MemoryBudget::Share share_;
};

}  // namespace runnel::exchange
