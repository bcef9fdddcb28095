#pragma once

#include "base/result.hpp"
#include "http/stop.hpp"
#include "tools/mcp/message.hpp"
#include "tools/mcp/protocol.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace runnel::tools::mcp {

// Who hears what a server says besides its answers.
class Inbox {
public:
    virtual ~Inbox() = default;
    virtual void on_notification(const Message& notification) = 0;
    // The answer to be sent.
    virtual Outgoing on_request(const Message& request) = 0;
};

// Carries messages to one server and back. Errors are told as what the server does, to follow "the
// MCP server …"; their kind is upstream_unreachable where nothing was sent.
class Transport {
public:
    virtual ~Transport() = default;

    // Before anything is asked, and whenever the server must be greeted again.
    virtual boost::asio::awaitable<Result<void>> open(Inbox* inbox, http::Stop* stop) = 0;
    // Changes when the server has forgotten whom it speaks with: it must be greeted again.
    virtual std::uint64_t life() const = 0;

    virtual boost::asio::awaitable<Result<Answer>> ask(Outgoing request, http::Stop* stop) = 0;
    virtual boost::asio::awaitable<Result<void>> tell(Outgoing notification, http::Stop* stop) = 0;

    // After a stopped ask(): tells the server, without waiting for it.
    virtual void give_up(Outgoing cancelled, Era era) = 0;
    // Keeps an ear open for what the server says unasked, as far as its era has a way. `request` is
    // the modern one.
    virtual void listen(Outgoing request, Era era) = 0;
    // The end: nothing is heard any more, nothing stays open or running.
    virtual void close() = 0;

    // "at http://…" or "`npx …`", for messages.
    virtual std::string place() const = 0;
};

}  // namespace runnel::tools::mcp
