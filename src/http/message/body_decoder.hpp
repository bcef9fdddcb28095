#pragma once

#include "http/message/line_reader.hpp"
#include "http/message/message_head.hpp"

#include <cstdint>
#include <string_view>

namespace runnel::http {

// Takes a message's body out of a connection's bytes, as its head says that it is framed. The same
// for requests and responses. No IO inside, and nothing is copied.
class BodyDecoder {
public:
    explicit BodyDecoder(Framing framing = {});

    // Takes bytes from the front and hands out the next of the body, a view into them. Empty: all
    // bytes are taken, the body is over, or there is a fault.
    std::string_view next(std::string_view& bytes);
    bool done() const { return state_ == State::done; }
    // What is wrong with the framing; empty: nothing. Nothing can be read after it.
    std::string_view fault() const { return fault_; }
    // Nothing but the end of the connection ends the body: done() is never true.
    bool ends_with_connection() const { return framing_.kind == Framing::Kind::until_close; }
    const Framing& framing() const { return framing_; }

private:
    enum class State { data, chunk_size, chunk_data, chunk_end, trailers, done, faulty };

    std::string_view data_of(std::string_view& bytes);
    void read_size(std::string_view& bytes);
    void read_chunk_end(std::string_view& bytes);
    void read_trailer(std::string_view& bytes);
    void fail(std::string_view fault);

    Framing framing_;
    State state_;
    std::uint64_t left_ = 0;   // of the body or the chunk
    bool has_return_ = false;  // of the line end after a chunk
    LineReader lines_;
    std::string_view fault_;
};

}  // namespace runnel::http
