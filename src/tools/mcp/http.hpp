#pragma once

#include "base/secret.hpp"
#include "http/client/client.hpp"
#include "http/task_group.hpp"
#include "json/parser.hpp"
#include "tools/mcp/http_exchange.hpp"
#include "tools/mcp/transport.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::tools::mcp {

// Where an MCP server is and how it wants to be asked.
struct Endpoint {
    http::Destination destination;
    std::string path;  // with its query
    std::string url;   // for messages: without query and password
    std::vector<std::pair<std::string, Secret>> headers;
};

// Streamable HTTP: every message of ours is a POST, its answers come back in the response.
class HttpTransport final : public Transport, public std::enable_shared_from_this<HttpTransport> {
public:
    HttpTransport(Endpoint endpoint, http::TaskGroup* tasks, http::Client* client);

    boost::asio::awaitable<Result<void>> open(Inbox* inbox, http::Stop* stop) override;
    std::uint64_t life() const override { return life_; }
    boost::asio::awaitable<Result<Answer>> ask(Outgoing request, http::Stop* stop) override;
    boost::asio::awaitable<Result<void>> tell(Outgoing notification, http::Stop* stop) override;
    void give_up(Outgoing cancelled, Era era) override;
    void listen(Outgoing request, Era era) override;
    void close() override;
    std::string place() const override { return "at " + endpoint_.url; }

private:
    using Reuse = http::ConnectionPool::Reuse;
    enum class Method { get, post, remove };
    std::vector<HeaderField> headers_of(Method method, const Outgoing& message) const;
    // A view of the arguments, and of the endpoint's path.
    http::RequestView request_of(Method method, const std::vector<HeaderField>& headers,
                                 std::string_view body) const;
    boost::asio::awaitable<Result<Answer>> ask_once(HttpExchange* exchange,
                                                    http::RequestView carrier,
                                                    const Outgoing* request, Reuse reuse,
                                                    http::Stop* stop);
    boost::asio::awaitable<void> hear(std::vector<Message> messages, http::Stop* stop);
    void note_session(const Outgoing& request, const HttpExchange& exchange,
                      const std::string& sent_session);

    // Tasks that may outlive whoever started them.
    using Self = std::shared_ptr<HttpTransport>;
    static boost::asio::awaitable<void>
    send_last(Self self, Method method, std::vector<HeaderField> headers, std::string body);
    static boost::asio::awaitable<void> keep_listening(Self self, std::shared_ptr<http::Stop> stop,
                                                       Method method, Outgoing request);
    // Whether there was a time when the server could have said something that nobody heard.
    enum class Missed { nothing, perhaps };
    boost::asio::awaitable<Result<void>> listen_once(Method method, const Outgoing* request,
                                                     Missed missed, http::Stop* stop);

    Endpoint endpoint_;
    http::TaskGroup* tasks_;
    http::Client* client_;
    json::Parser parser_;
    Inbox* inbox_ = nullptr;
    std::uint64_t life_ = 0;
    std::string session_;                    // that the server gave us; empty: none
    std::shared_ptr<http::Stop> listening_;  // ends what listens now
    bool closed_ = false;
};

}  // namespace runnel::tools::mcp
