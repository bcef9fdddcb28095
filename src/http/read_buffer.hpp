#pragma once

#include <span>

namespace runnel::http {

// This thread's one read buffer, with room for padding behind it. Whoever reads into it is done
// with the bytes before it waits for anything: the next stream of the thread reads into the same
// place.
std::span<char> read_buffer();

// The same, padding included.
std::span<char> padded_read_buffer();

}  // namespace runnel::http
