#pragma once

#include "base/secret.hpp"
#include "json/parser.hpp"
#include "tools/async_mutex.hpp"
#include "tools/mcp/protocol.hpp"
#include "tools/mcp/tools.hpp"
#include "tools/mcp/transport.hpp"
#include "tools/source.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace runnel::tools::mcp {

// What the config says of any MCP server.
struct SourceConfig {
    std::string name;                // of its entry under `tools:`
    std::vector<std::string> allow;  // the server's names of tools that may be used; empty: all
    ToolLimits limits{};             // of one call
    Secret hook_key{};               // empty: calls have no nonce
    std::chrono::milliseconds list_time{
        std::chrono::seconds(15)};  // to be there and list its tools
};

// The tools of one MCP server, whatever carries the messages. Greets the server when it must, and
// remembers its tools until it says that they changed, or for ten minutes.
class Source final : public ToolSource, private Inbox {
public:
    Source(SourceConfig config, std::shared_ptr<Transport> transport,
           boost::asio::any_io_executor executor);
    ~Source() override;

    boost::asio::awaitable<Result<std::vector<ToolSpec>>> list(http::Stop* stop) override;
    boost::asio::awaitable<ToolOutcome> run(ToolCall call, http::Stop* stop) override;

private:
    using Clock = std::chrono::steady_clock;
    struct Failure {
        Error error;
        Clock::time_point until;
    };

    boost::asio::awaitable<Result<void>> refresh(http::Stop* stop);
    boost::asio::awaitable<Result<void>> fetch(http::Stop* stop);
    boost::asio::awaitable<Result<void>> greet(http::Stop* stop);
    boost::asio::awaitable<Result<void>> greet_now(http::Stop* stop);
    boost::asio::awaitable<Result<void>> find_era(http::Stop* stop);
    boost::asio::awaitable<Result<void>> shake_hands(http::Stop* stop);
    boost::asio::awaitable<Result<Answer>> ask(std::function<Outgoing()> write, http::Stop* stop);

    void on_notification(const Message& notification) override;
    Outgoing on_request(const Message& request) override;

    std::optional<Tool> find(std::string_view name) const;
    void keep(ToolList list, Clock::time_point now);
    void warn(std::string_view message) const;
    // In words for whoever wrote the config.
    Error explained(Error error, const http::Stop& stop, std::chrono::milliseconds time) const;

    SourceConfig config_;
    std::shared_ptr<Transport> transport_;
    boost::asio::any_io_executor executor_;
    json::Parser parser_;
    Protocol protocol_;
    AsyncMutex greeting_;
    std::optional<std::uint64_t> greeted_life_;
    std::optional<Failure> failure_;  // of the last greeting, for those who come right after it
    AsyncMutex listing_;
    std::vector<Tool> tools_;
    std::optional<Clock::time_point> fresh_until_;
    std::uint64_t changes_ = 0;  // of the server's tools, as far as it told
};

}  // namespace runnel::tools::mcp
