#include "exchange/answer_of.hpp"
#include "server/app.hpp"
#include "server/metrics.hpp"

namespace runnel::server {

using boost::asio::awaitable;

// Put together where no stream has to wait for it.
awaitable<void> App::metrics(Asked asked) {
    const auto ask = [this](exchange::Answered<std::string> answered) {
        operations_->aside(
            [answered = std::move(answered), gateway = gateway_, shared = shared_]() mutable {
                answered(metrics_text(*gateway, *shared));
            });
    };
    const std::string text = co_await exchange::answer_of<std::string>(ask);
    asked.transaction->responder->headers().add("Content-Type", metrics_type);
    asked.transaction->responder->headers().add("Cache-Control", "no-store");
    co_await asked.transaction->responder->send(200, text);
}

}  // namespace runnel::server
