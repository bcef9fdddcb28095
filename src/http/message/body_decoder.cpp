#include "http/message/body_decoder.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace runnel::http {

BodyDecoder::BodyDecoder(Framing framing)
    : framing_(framing),
      state_(State::data),
      left_(framing.length),
      lines_(limits::chunk_line_bytes) {
    if (framing.kind == Framing::Kind::chunked) state_ = State::chunk_size;
    if (framing.kind == Framing::Kind::no_body) state_ = State::done;
    if (framing.kind == Framing::Kind::length && left_ == 0) state_ = State::done;
}

std::string_view BodyDecoder::next(std::string_view& bytes) {
    while (!bytes.empty()) {
        switch (state_) {
            case State::data:
            case State::chunk_data: return data_of(bytes);
            case State::chunk_size: read_size(bytes); break;
            case State::chunk_end: read_chunk_end(bytes); break;
            case State::trailers: read_trailer(bytes); break;
            case State::done:
            case State::faulty: return {};
        }
    }
    return {};
}

std::string_view BodyDecoder::data_of(std::string_view& bytes) {
    if (ends_with_connection()) return std::exchange(bytes, {});
    const std::string_view piece = bytes.substr(0, std::min<std::uint64_t>(left_, bytes.size()));
    bytes.remove_prefix(piece.size());
    left_ -= piece.size();
    if (left_ == 0) state_ = state_ == State::data ? State::done : State::chunk_end;
    return piece;
}

// Digits, then nothing that counts: extensions are read by nobody.
void BodyDecoder::read_size(std::string_view& bytes) {
    switch (lines_.take(bytes)) {
        case LineReader::Outcome::more: return;
        case LineReader::Outcome::too_long: return fail("the line of a chunk's size is too long");
        case LineReader::Outcome::bare_line_feed:
            return fail("a chunk's size ends with a line feed alone");
        case LineReader::Outcome::line: break;
    }
    const std::string_view line = lines_.line();
    const std::size_t digits = std::min(line.find_first_of("; \t"), line.size());
    constexpr std::size_t digits_max = 15;  // what fits, with room to add
    const char* end = line.data() + digits;
    const auto [stop, error] = std::from_chars(line.data(), end, left_, 16);
    if (digits == 0 || digits > digits_max || error != std::errc() || stop != end)
        return fail("a chunk's size is not a hexadecimal number");
    const std::string_view rest = line.substr(digits);
    const std::size_t extension = rest.find_first_not_of(" \t");
    if (!is_field_value(rest) || (extension != std::string_view::npos && rest[extension] != ';'))
        return fail("a chunk's size is followed by something other than extensions");
    if (left_ > 0) {
        state_ = State::chunk_data;
        return;
    }
    state_ = State::trailers;
    lines_.allow(limits::trailer_bytes);
}

void BodyDecoder::read_chunk_end(std::string_view& bytes) {
    if (!has_return_) {
        if (bytes.front() != '\r') return fail("a chunk is longer than its size says");
        bytes.remove_prefix(1);
        has_return_ = true;
        if (bytes.empty()) return;
    }
    if (bytes.front() != '\n') return fail("a chunk is longer than its size says");
    bytes.remove_prefix(1);
    has_return_ = false;
    state_ = State::chunk_size;
    lines_.allow(limits::chunk_line_bytes);
}

// Checked and dropped: what comes after the body was not there when it was decided who sends it.
void BodyDecoder::read_trailer(std::string_view& bytes) {
    switch (lines_.take(bytes)) {
        case LineReader::Outcome::more: return;
        case LineReader::Outcome::too_long: return fail("the trailers are too long");
        case LineReader::Outcome::bare_line_feed:
            return fail("a trailer ends with a line feed alone");
        case LineReader::Outcome::line: break;
    }
    if (lines_.line().empty())
        state_ = State::done;
    else if (const auto field = read_field(lines_.line()); !field)
        fail(field.error());
}

void BodyDecoder::fail(std::string_view fault) {
    fault_ = fault;
    state_ = State::faulty;
}

}  // namespace runnel::http
