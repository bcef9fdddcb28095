#pragma once

#include "base/header_field.hpp"
#include "base/result.hpp"
#include "http/client/connection_pool.hpp"
#include "http/client/destination.hpp"
#include "http/stop.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace runnel::http {

// What is asked. Views: the texts must live until it is sent.
struct RequestView {
    std::string_view method;
    std::string_view target;  // the path and its query
    std::span<const HeaderField> headers{};
    std::string_view body{};
};

// The head of a request to `origin`: its fields, and those that every request has.
std::string write_request_head(const Origin& origin, const RequestView& request);

// Who receives a response as it comes.
class CallHandler : public ResponseHandler {
public:
    // After each read, when all that it brought has been handed over. An error ends the call.
    virtual void on_read(const Result<void>& read) = 0;
};

// One request to an upstream and its response, read by read. What is not finished is cut off at
// once when this goes.
class Call {
public:
    // Both must outlive it.
    Call(ConnectionPool* pool, const Destination* destination)
        : pool_(pool),
          destination_(destination) {}

    // A kept connection, which is there at once; false where there is none.
    bool take_idle();
    // A new one.
    awaitable<Result<void>> connect(Stop* stop);
    // One or the other, as the caller allows.
    awaitable<Result<void>> open(ConnectionPool::Reuse reuse, Stop* stop);
    bool is_open() const { return connection_ != nullptr; }

    awaitable<Result<void>> send(RequestView request, Stop* stop);
    // Waits for the next bytes of the response and hands them over. The handler is told how it
    // went, so that a stream that waits for its next chunk is one coroutine and not two.
    awaitable<void> read(CallHandler* handler, Stop* stop);
    bool response_done() const { return connection_ && connection_->response_done(); }

    // As of UpstreamConnection.
    bool is_reused() const { return connection_ && connection_->is_reused(); }
    bool was_stale() const { return connection_ && connection_->was_stale(); }
    // What matters of the response has been read: the connection may serve again.
    void finish();
    // The connection is closed.
    void drop() { connection_.reset(); }

private:
    ConnectionPool* pool_;
    const Destination* destination_;
    std::unique_ptr<UpstreamConnection> connection_;
};

}  // namespace runnel::http
