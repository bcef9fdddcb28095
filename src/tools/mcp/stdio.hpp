#pragma once

#include "http/task_group.hpp"
#include "json/parser.hpp"
#include "tools/mcp/transport.hpp"
#include "tools/sandbox/child_process.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace runnel::tools::mcp {

// A server that is a child of ours: one message per line on its standard input and output. It is
// started when it is needed, and again when it has died, later each time it dies young.
class StdioTransport final : public Transport, public std::enable_shared_from_this<StdioTransport> {
public:
    // `name`: of the config's entry, for the log.
    StdioTransport(std::string name, ChildProcess::Command command, http::TaskGroup* tasks);
    ~StdioTransport() override;

    boost::asio::awaitable<Result<void>> open(Inbox* inbox, http::Stop* stop) override;
    std::uint64_t life() const override { return life_number_; }
    boost::asio::awaitable<Result<Answer>> ask(Outgoing request, http::Stop* stop) override;
    boost::asio::awaitable<Result<void>> tell(Outgoing notification, http::Stop* stop) override;
    void give_up(Outgoing cancelled, Era era) override;
    void listen(Outgoing request, Era era) override;
    void close() override;
    std::string place() const override;

private:
    using Clock = std::chrono::steady_clock;
    using Self = std::shared_ptr<StdioTransport>;
    // The server from its start to its death, and who waits for what from it.
    struct Life;
    using SharedLife = std::shared_ptr<Life>;

    Result<void> start();
    void send(const SharedLife& life, std::string_view json);
    void take_line(const SharedLife& life, Padded line);
    void take_noise(const SharedLife& life, std::string_view line);
    void note_death(const Life& life, std::string_view how);

    static boost::asio::awaitable<void> write_input(Self self, SharedLife life);
    static boost::asio::awaitable<void> read_output(Self self, SharedLife life);
    static boost::asio::awaitable<void> read_errors(Self self, SharedLife life);
    static boost::asio::awaitable<void> watch_over(Self self, SharedLife life);

    std::string name_;
    ChildProcess::Command command_;
    http::TaskGroup* tasks_;
    json::Parser parser_;
    Inbox* inbox_ = nullptr;
    SharedLife life_;  // null: not running
    std::uint64_t life_number_ = 0;
    int early_deaths_ = 0;  // in a row
    Clock::time_point not_before_{};
};

}  // namespace runnel::tools::mcp
