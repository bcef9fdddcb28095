#include "http/client/response_reader.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"
#include "base/release.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::http {
namespace {

std::unexpected<Error> not_a_response(std::string_view what) {
    return fail(ErrorKind::upstream_malformed,
                fmt::format("the response is not valid HTTP: {}", what));
}

}  // namespace

ResponseReader::ResponseReader() : lines_(limits::upstream_header_bytes) {}

Result<void> ResponseReader::feed(Padded bytes, ResponseHandler* handler) {
    std::string_view rest = bytes.text();
    if (!header_done())
        if (auto read = read_head(rest, handler); !read) return read;
    while (state_ == State::body && !rest.empty()) {
        const std::string_view piece = body_.next(rest);
        // It lies in the caller's padded buffer, so it is padded itself.
        if (!piece.empty()) handler->on_body(Padded::vouched(piece));
        if (!body_.fault().empty()) return not_a_response(body_.fault());
        if (body_.done()) state_ = State::done;
    }
    if (done() && !rest.empty()) excess_bytes_ = true;
    return {};
}

Result<void> ResponseReader::read_head(std::string_view& bytes, ResponseHandler* handler) {
    while (!header_done() && !bytes.empty()) {
        switch (lines_.take(bytes)) {
            case LineReader::Outcome::more: return {};
            case LineReader::Outcome::too_long:
                return not_a_response(fmt::format("its header fields are larger than {} bytes",
                                                  limits::upstream_header_bytes));
            case LineReader::Outcome::bare_line_feed:
                return not_a_response("a line ends with a line feed alone");
            case LineReader::Outcome::line: break;
        }
        const std::string_view line = lines_.line();
        if (state_ == State::first_line) {
            if (auto read = read_first_line(line); !read) return read;
        } else if (line.empty()) {
            if (auto finished = finish_head(handler); !finished) return finished;
        } else {
            const auto field = read_field(line);
            if (!field) return not_a_response(field.error());
            facts_.note(*field);
            head_.headers.add(field->name, field->value);
        }
    }
    return {};
}

Result<void> ResponseReader::read_first_line(std::string_view line) {
    constexpr std::size_t status_at = 9;
    constexpr std::size_t status_end = status_at + 3;
    const bool has_version = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
    if (!has_version || line.size() < status_end || !is_field_value(line) ||
        (line.size() > status_end && line[status_end] != ' '))
        return not_a_response("the first line is not a version and a status");
    const std::string_view status = line.substr(status_at, 3);
    if (status[0] < '1' || !std::ranges::all_of(status, ascii::is_digit))
        return not_a_response("the status is not a number of three digits");
    is_new_ = line.starts_with("HTTP/1.1");
    head_.status = (status[0] - '0') * 100 + (status[1] - '0') * 10 + (status[2] - '0');
    state_ = State::fields;
    return {};
}

Result<void> ResponseReader::finish_head(ResponseHandler* handler) {
    if (is_interim()) {
        // What it takes counts as part of the head that follows: nobody sends them without end.
        facts_ = {};
        head_ = {};
        state_ = State::first_line;
        return {};
    }
    const auto framed = framing();
    if (!framed) return fail(framed.error());
    body_ = BodyDecoder(*framed);
    const bool in_doubt = facts_.transfer_codings > 0 && (facts_.lengths > 0 || !is_new_);
    keeps_alive_ = !body_.ends_with_connection() && !in_doubt && facts_.lengths < 2 &&
                   !facts_.says_close && (is_new_ || facts_.says_keep_alive);
    state_ = body_.done() ? State::done : State::body;
    handler->on_head(head_);
    release(head_.headers);
    lines_ = LineReader(0);  // nothing is kept of a head while its body comes
    return {};
}

Result<Framing> ResponseReader::framing() const {
    if (head_.status == 204 || head_.status == 304) return Framing{};
    if (facts_.transfer_codings > 0) {
        if (!facts_.is_chunked)
            return not_a_response("its Transfer-Encoding is something other than chunked");
        return Framing{Framing::Kind::chunked};
    }
    if (facts_.lengths == 0) return Framing{Framing::Kind::until_close};
    if (!facts_.length_is_valid)
        return not_a_response("its Content-Length is not one number of bytes");
    return Framing{Framing::Kind::length, facts_.length};
}

Result<void> ResponseReader::finish() {
    if (state_ == State::body && body_.ends_with_connection()) state_ = State::done;
    if (!done())
        return fail(ErrorKind::upstream_truncated,
                    "the connection closed before the response ended");
    return {};
}

void ResponseReader::reset() { *this = ResponseReader(); }

}  // namespace runnel::http
