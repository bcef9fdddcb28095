#pragma once

#include "http/message/head_writer.hpp"
#include "http/server/request_reader.hpp"
#include "http/stream.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace runnel::http {

// Takes a response that no connection waits for.
class ResponseTaker {
public:
    virtual ~ResponseTaker() = default;
    virtual void take_whole(int status, const HeaderList& headers, std::string_view body) = 0;
    // The next piece of a stream. False: nothing more is taken.
    virtual bool take_piece(std::string_view bytes) = 0;
};

// Writes the response to one request: either whole, or as a stream of pieces. Nothing is sent
// before the first flush(), so a stream that has not begun can still become an error with its own
// status. Nothing is sent after the last piece or a whole response, so that nobody's bytes can be
// taken for the next response of the connection.
class Responder {
public:
    Responder(Stream* stream, const Request& request);
    explicit Responder(ResponseTaker* taker);

    // Header fields of the response, whatever its kind; framing fields are added when it is sent.
    HeaderList& headers() { return headers_; }

    // Whatever the response turns out to be, this has the last word on its header fields.
    using AddFields = std::move_only_function<void(HeaderList&)>;
    void before_head(AddFields add) { add_last_fields_ = std::move(add); }

    // A whole response. With 204 and 304 there is no body and no content length.
    awaitable<error_code> send(int status, std::string_view body);

    // A stream: append to out(), then flush(). The head goes out with the first flush, the end mark
    // with the last.
    std::string& out() { return out_; }
    bool out_is_empty() const { return out_.size() == head_room; }
    enum class Piece { more, last };
    // Sends what out() holds, as one piece in one write, as far as the client takes it at once.
    // True when all of it went out or the connection is broken (see error()); false when drain()
    // must be awaited before the next piece.
    bool flush(Piece piece);
    // Waits until the client has taken the rest.
    awaitable<void> drain();
    // Sends what out() holds without ever having to wait: what the client does not take at once
    // goes out before the next piece. For the few bytes of a ping.
    void flush_aside();
    // Something is still waiting to go out before the next piece.
    bool has_aside() const { return !aside_.empty(); }
    // Of what the client has not taken yet.
    std::size_t unsent_bytes() const { return out_.capacity() + aside_.capacity(); }
    // Between two pieces: what was to be the next one is not sent.
    void forget_piece();
    const error_code& error() const { return error_; }

    bool begun() const { return begun_; }
    bool keeps_alive() const { return keep_alive_ && !body_is_unread_; }
    // The connection must close after this response.
    void forbid_keep_alive() { keep_alive_ = false; }
    // So must it as long as the request's body has not been read to its end.
    void leaves_body_unread() { body_is_unread_ = true; }
    void has_read_body() { body_is_unread_ = false; }
    int status() const { return status_; }
    std::uint64_t bytes_sent() const { return bytes_sent_; }

private:
    // Space before the piece for its size in hexadecimal, so that the piece need not be copied.
    static constexpr std::size_t head_room = 10;

    void frame_piece(Piece piece);
    void hand_over_piece();
    HeadWriter render_head(int status);

    Stream* stream_;
    ResponseTaker* taker_ = nullptr;  // in the stream's place
    HeaderList headers_;
    AddFields add_last_fields_;
    std::string out_;
    std::string aside_;       // framed bytes that go out first
    std::size_t unsent_ = 0;  // where in out_ the bytes begin that the client has not taken yet
    error_code error_;
    bool chunked_;
    bool head_only_;  // a HEAD request: no body is sent
    bool keep_alive_;
    bool body_is_unread_ = false;
    bool begun_ = false;
    bool over_ = false;      // the last piece or a whole response is on its way
    bool has_head_ = false;  // what is in out_
    int status_ = 0;
    std::uint64_t bytes_sent_ = 0;
};

std::string_view reason_phrase(int status);

}  // namespace runnel::http
