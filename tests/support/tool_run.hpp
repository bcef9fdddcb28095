#pragma once

#include "tools/tool_box.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace runnel::testing {

// One tool, run as requests run it: from a loop of its own, on the tool thread.
class ToolRun {
public:
    using Make = std::function<std::unique_ptr<tools::ToolSource>(tools::ToolThread* thread)>;
    explicit ToolRun(const Make& make) {
        std::vector<tools::ToolBox::Entry> entries;
        entries.push_back({"t", make(&thread_)});
        box_.emplace(&thread_, std::move(entries));
    }

    tools::ToolOutcome run(std::string arguments) { return run(std::move(arguments), {}); }
    // The same, for a client that hangs up after a while.
    tools::ToolOutcome run_and_hang_up(std::string arguments, std::chrono::milliseconds after) {
        return run(std::move(arguments), after);
    }

private:
    tools::ToolOutcome run(std::string arguments,
                           std::optional<std::chrono::milliseconds> stop_after) {
        loop_.restart();
        http::Stop stop;
        boost::asio::steady_timer timer(loop_);
        if (stop_after) {
            timer.expires_after(*stop_after);
            timer.async_wait([&](const boost::system::error_code& error) {
                if (!error) stop.request(http::Stop::Reason::client_gone);
            });
        }
        std::optional<tools::ToolOutcome> outcome;
        boost::asio::co_spawn(loop_, ask(&*box_, std::move(arguments), &stop, &timer, &outcome),
                              boost::asio::detached);
        loop_.run();
        return outcome.value_or(
            tools::ToolOutcome{tools::ToolOutcome::Kind::failed, "no outcome", ""});
    }

    static boost::asio::awaitable<void> ask(const tools::ToolBox* box, std::string arguments,
                                            http::Stop* stop, boost::asio::steady_timer* timer,
                                            std::optional<tools::ToolOutcome>* outcome) {
        const std::vector<std::string> names{"t"};
        auto offer = co_await box->offer(names, stop);
        if (offer.missing) co_return;
        tools::ToolCall call;
        call.arguments_json = std::move(arguments);
        *outcome = co_await box->run(offer.tools.front(), std::move(call), stop);
        timer->cancel();
    }

    boost::asio::io_context loop_;  // what is stopped may still report to it
    http::UpstreamTls tls_;
    tools::ToolThread thread_{&tls_};
    std::optional<tools::ToolBox> box_;
};

}  // namespace runnel::testing
