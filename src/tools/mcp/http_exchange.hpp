#pragma once

#include "framing/sse.hpp"
#include "http/client/client.hpp"
#include "http/stop.hpp"
#include "json/parser.hpp"
#include "tools/mcp/message.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace runnel::tools::mcp {

// One HTTP request to an MCP server, and the messages that come back: one in a JSON body, or any
// number in a stream. Errors are told as what the server does.
class HttpExchange final : private http::CallHandler, private framing::FrameSink {
public:
    // The pointers must outlive it.
    HttpExchange(http::Client* client, const http::Destination* destination, json::Parser* parser);

    // Connects, on a kept connection where one is fit for it, and sends.
    boost::asio::awaitable<Result<void>> send(http::RequestView request,
                                              http::ConnectionPool::Reuse reuse, http::Stop* stop);
    // Waits for the next bytes and reads the messages in them.
    boost::asio::awaitable<Result<void>> read(http::Stop* stop);
    std::vector<Message> take_messages() { return std::exchange(messages_, {}); }
    // Nothing more will come.
    bool done() const { return call_.response_done() || too_much_; }
    // The answer is known: the connection may serve again.
    void give_back() { call_.finish(); }

    // A kept connection had gone before it was used: the server knows nothing of the request.
    bool was_stale() const { return call_.was_stale(); }
    int status() const { return status_; }  // 0: not yet known
    const std::string& session_id() const { return session_id_; }
    // Some of what came was no message.
    bool any_unreadable() const { return any_unreadable_; }

private:
    void on_head(const http::ResponseHead& head) override;
    void on_body(Padded bytes) override;
    void on_read(const Result<void>& read) override { outcome_ = read; }
    void on_frame(const framing::Frame& frame) override;
    void take_text(Padded text);

    http::Call call_;
    json::Parser* parser_;
    Result<void> outcome_;  // of the last read
    framing::Decoder decoder_;
    enum class Form { unknown, stream, body } form_ = Form::unknown;
    int status_ = 0;
    std::string session_id_;
    std::string body_;
    bool too_much_ = false;
    bool any_unreadable_ = false;
    std::vector<Message> messages_;
};

}  // namespace runnel::tools::mcp
