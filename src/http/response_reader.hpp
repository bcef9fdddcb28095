#pragma once

#include "base/padded.hpp"
#include "base/result.hpp"
#include "http/headers.hpp"

#include <memory>

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
    ~ResponseReader();
    ResponseReader(ResponseReader&&) noexcept;
    ResponseReader& operator=(ResponseReader&&) noexcept;

    // Interim (1xx) responses are skipped.
    Result<void> feed(Padded bytes, ResponseHandler* handler);
    // The peer closed its side: the end of a body that has no other end, otherwise an error.
    Result<void> finish(ResponseHandler* handler);
    bool done() const;
    bool header_done() const;
    // After done(): the connection can carry another request. Bytes past the response forbid it.
    bool reusable() const;
    // Begins with the next response of the same connection.
    void reset();

private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
};

}  // namespace runnel::http
