#include "exchange/answer_of.hpp"
#include "server/app.hpp"
#include "server/metrics.hpp"

namespace runnel::server {

using boost::asio::awaitable;

// Put together where no stream has to wait for it.
awaitable<void> App::metrics(Asked asked) {
    const bool everybody = gateway_->metrics_access == config::Config::MetricsAccess::open;
    if (auto allowed = admits(*asked.transaction); !everybody && !allowed) {
        co_await refuse(asked.transaction, asked.record, std::move(allowed.error()));
        co_return;
    }
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
