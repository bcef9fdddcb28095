#pragma once

#include <utility>

namespace runnel {

// Empties a value and gives its memory back. `value = {}` would not: strings and vectors keep what
// they have for the next content.
template <typename T>
void release(T& value) {
    const T gone = std::exchange(value, T());
}

}  // namespace runnel
