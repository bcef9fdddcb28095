#include "http/read_buffer.hpp"

#include "base/limits.hpp"
#include "base/padded.hpp"

#include <array>

namespace runnel::http {

std::span<char> padded_read_buffer() {
    thread_local std::array<char, limits::read_bytes + padding_bytes> buffer;
    return buffer;
}

std::span<char> read_buffer() { return padded_read_buffer().first(limits::read_bytes); }

}  // namespace runnel::http
