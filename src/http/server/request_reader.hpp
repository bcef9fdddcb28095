#pragma once

#include "base/result.hpp"
#include "http/message/headers.hpp"
#include "http/message/line_reader.hpp"
#include "http/message/message_head.hpp"

#include <string>
#include <string_view>

namespace runnel::http {

struct Request {
    std::string method;
    std::string target;  // path and query as sent
    HeaderList headers;
    std::string body;  // as far as it was taken
    enum class KeepAlive { no, yes } keep_alive = KeepAlive::no;
    enum class Version { http_1_0, http_1_1 } version = Version::http_1_1;
    enum class Expects { nothing, leave_to_send } expects = Expects::nothing;
    Framing framing;

    std::string_view path() const;
    std::string_view query() const;
};

// Reads the heads of requests from a connection's bytes, one after the other. No IO inside. What
// two readers could understand in two ways is refused: where the body ends must be beyond doubt.
class RequestReader {
public:
    // A head may have so many bytes, its first line included.
    explicit RequestReader(std::size_t head_bytes);

    // Takes bytes until the head is whole and says how many it took; the rest is the body's. An
    // error (bad syntax, the limit) ends the connection after its reply.
    Result<std::size_t> feed(std::string_view bytes);
    bool started() const { return state_ != State::between; }  // some byte of a request has come
    bool done() const { return state_ == State::done; }
    // Of what has come of the head.
    std::size_t held_bytes() const {
        return lines_.held_bytes() + request_.target.capacity() + request_.headers.held_bytes();
    }
    // Hands the request out, as far as it has come, and begins with the next.
    Request take();

private:
    enum class State { between, first_line, fields, done };

    Result<void> read_line(std::string_view line);
    Result<void> read_first_line(std::string_view line);
    Result<void> finish();

    std::size_t head_bytes_;
    State state_ = State::between;
    LineReader lines_;
    MessageFacts facts_;
    Request request_;
};

}  // namespace runnel::http
