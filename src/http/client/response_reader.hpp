#pragma once

#include "base/padded.hpp"
#include "base/result.hpp"
#include "http/message/body_decoder.hpp"
#include "http/message/headers.hpp"
#include "http/message/line_reader.hpp"
#include "http/message/message_head.hpp"

namespace runnel::http {

struct ResponseHead {
    int status = 0;
    HeaderList headers;
};

// Who receives a response as it is read.
class ResponseHandler {
public:
    virtual ~ResponseHandler() = default;
    virtual void on_head(const ResponseHead& head) = 0;
    virtual void on_body(Padded bytes) = 0;
};

// Reads one response from a connection's bytes and pushes it to a handler: all that a read brought
// is handed over before it returns, however many HTTP chunks it was. No IO inside.
class ResponseReader {
public:
    ResponseReader();

    // Interim (1xx) responses are skipped.
    Result<void> feed(Padded bytes, ResponseHandler* handler);
    // The peer closed its side: the end of a body that has no other end, otherwise an error.
    Result<void> finish();
    bool done() const { return state_ == State::done; }
    bool header_done() const { return state_ == State::body || done(); }
    // After done(): the connection can carry another request. Bytes past the response forbid it,
    // and so does any doubt about where it ends.
    bool reusable() const { return done() && keeps_alive_ && !excess_bytes_; }
    // Begins with the next response of the same connection.
    void reset();

private:
    enum class State { first_line, fields, body, done };

    Result<void> read_head(std::string_view& bytes, ResponseHandler* handler);
    Result<void> read_first_line(std::string_view line);
    Result<void> finish_head(ResponseHandler* handler);
    Result<Framing> framing() const;
    bool is_interim() const { return head_.status < 200; }

    State state_ = State::first_line;
    LineReader lines_;
    MessageFacts facts_;
    ResponseHead head_;
    BodyDecoder body_;
    bool is_new_ = true;  // HTTP/1.1
    bool keeps_alive_ = false;
    bool excess_bytes_ = false;
};

}  // namespace runnel::http
