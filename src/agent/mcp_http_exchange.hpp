#pragma once

#include "agent/mcp_message.hpp"
#include "http/connection_pool.hpp"
#include "http/stop.hpp"
#include "json/parser.hpp"
#include "sse/decoder.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace runnel::agent::mcp {

// One HTTP request to an MCP server, and the messages that come back: one in a JSON body, or any
// number in a stream. Errors are told as what the server does.
class HttpExchange final : private http::ResponseHandler, private sse::FrameSink {
public:
    // The pointers must outlive it.
    HttpExchange(http::ConnectionPool* pool, const http::Destination* destination,
                 json::Parser* parser);

    // Connects, on a kept connection where one is fit for it, and sends.
    boost::asio::awaitable<Result<void>> send(std::string head, std::string body,
                                              http::ConnectionPool::Reuse reuse, http::Stop* stop);
    // Waits for the next bytes and reads the messages in them.
    boost::asio::awaitable<Result<void>> read(http::Stop* stop);
    std::vector<Message> take_messages() { return std::exchange(messages_, {}); }
    // Nothing more will come.
    bool done() const { return connection_->response_done() || too_much_; }
    // The answer is known: the connection may serve again.
    void give_back() { pool_->give_back(std::move(connection_)); }

    // A kept connection had gone before it was used: the server knows nothing of the request.
    bool was_unheard() const { return connection_ && connection_->was_unheard(); }
    int status() const { return status_; }  // 0: not yet known
    const std::string& session_id() const { return session_id_; }
    // Some of what came was no message.
    bool any_unreadable() const { return any_unreadable_; }

private:
    void on_head(const http::ResponseHead& head) override;
    void on_body(Padded bytes) override;
    void on_frame(const sse::Frame& frame) override;
    void take_text(Padded text);

    http::ConnectionPool* pool_;
    const http::Destination* destination_;
    json::Parser* parser_;
    std::unique_ptr<http::UpstreamConnection> connection_;
    sse::Decoder decoder_;
    enum class Form { unknown, stream, body } form_ = Form::unknown;
    int status_ = 0;
    std::string session_id_;
    std::string body_;
    bool too_much_ = false;
    bool any_unreadable_ = false;
    std::vector<Message> messages_;
};

}  // namespace runnel::agent::mcp
