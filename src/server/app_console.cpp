#include "exchange/answer_of.hpp"
#include "exchange/utc_now.hpp"
#include "server/admin.hpp"
#include "server/app.hpp"
#include "server/audit.hpp"
#include "server/console.hpp"
#include "server/model_prices.hpp"
#include "server/overview.hpp"
#include "server/session_api.hpp"
#include "server/url.hpp"

#include <fmt/format.h>

// What the web console is made of: its files, its sign-in, and what it asks that nobody else does.
namespace runnel::server {

using boost::asio::awaitable;

namespace {

constexpr std::string_view greeting =
    "Runnel " RUNNEL_VERSION
    " is running.\n\nChat:     POST /v1/chat/completions\nModels:   GET /v1/models\n"
    "Health:   GET /healthz\nConsole:  this address, in a browser\n";

}  // namespace

// Browsers get the console, programs a few lines of text.
awaitable<void> App::home(Asked asked) {
    if (wants_page(asked.transaction->request)) {
        co_await page(asked.transaction, asked.record);
        co_return;
    }
    http::HeaderList& headers = asked.transaction->responder->headers();
    headers.add("Content-Type", "text/plain; charset=utf-8");
    headers.add("Vary", "Accept");
    co_await asked.transaction->responder->send(200, greeting);
}

awaitable<void> App::page(http::Transaction* transaction, telemetry::RequestRecord* record) {
    const SignedIn signed_in = admits(*transaction) ? SignedIn::yes : SignedIn::no;
    const auto answer = answer_console(transaction->request, signed_in, console_files(),
                                       &transaction->responder->headers());
    if (!answer) {
        co_await refuse(transaction, record,
                        {ErrorKind::not_found,
                         fmt::format("there is nothing at {}; chat is at POST /v1/chat/completions",
                                     transaction->request.path())});
        co_return;
    }
    co_await transaction->responder->send(answer->status, answer->body);
}

awaitable<void> App::session(Asked asked) {
    const SignedIn signed_in = admits(*asked.transaction) ? SignedIn::yes : SignedIn::no;
    co_await send_json(asked.transaction, 200,
                       session_answer(signed_in, gateway_->admin_token, gateway_->access.auth));
}

awaitable<void> App::send_session(Asked asked, Result<std::string> cookie, SignedIn signed_in) {
    if (!cookie) {
        co_await refuse(asked.transaction, asked.record, std::move(cookie.error()));
        co_return;
    }
    http::HeaderList& headers = asked.transaction->responder->headers();
    headers.add("Set-Cookie", *cookie);
    headers.add("Cache-Control", "no-store");
    co_await send_json(asked.transaction, 200,
                       session_answer(signed_in, gateway_->admin_token, gateway_->access.auth));
}

awaitable<void> App::sign_in(Asked asked) {
    auto cookie = open_session(arrival_of(*asked.transaction), gateway_->admin_token, console_,
                               Sessions::Clock::now());
    if (cookie)
        note_action(shared_->queries, {"console", asked.transaction->client_address},
                    "session.open", "", "{}");
    co_await send_session(std::move(asked), std::move(cookie), SignedIn::yes);
}

awaitable<void> App::sign_out(Asked asked) {
    auto cookie = close_session(arrival_of(*asked.transaction), &console_->sessions);
    co_await send_session(std::move(asked), std::move(cookie), SignedIn::no);
}

awaitable<void> App::make_link(Asked asked) {
    auto body = link_answer(console_, Tickets::Clock::now());
    note_action(shared_->queries, actor_of(asked), "link.create", "", "{}");
    co_await send_secret(std::move(asked), std::move(body), 201);
}

awaitable<void> App::overview(Asked asked) {
    std::string range;
    for (auto& [name, value] : query_fields(asked.transaction->request.query()))
        if (name == "range") range = std::move(value);
    const telemetry::RecentTraffic::Time started{std::chrono::seconds(started_)};
    auto body = overview_answer(range, {&console_->traffic, shared_->requests.figures(), started},
                                exchange::utc_now());
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::audit(Asked asked) {
    std::string query(asked.transaction->request.query());
    auto body = co_await list_audit(shared_->queries, std::move(query));
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::prices(Asked asked) {
    co_await send_json(asked.transaction, 200, prices_answer(*gateway_));
}

awaitable<void> App::config(Asked asked) {
    asked.transaction->responder->headers().add("Cache-Control", "no-store");
    auto body = co_await aside([operations = operations_] {
        return Result<std::string>(config_answer(operations->config_text()));
    });
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

// Patterns are compiled and files are read for it.
awaitable<void> App::check_config(Asked asked) {
    auto body = co_await aside(
        [operations = operations_, text = std::move(asked.transaction->request.body)] {
            return config_check_answer(text, *operations);
        });
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

// What takes long is done by a thread that serves no requests.
awaitable<Result<std::string>> App::aside(std::move_only_function<Result<std::string>()> work) {
    auto ask = [this,
                work = std::move(work)](exchange::Answered<Result<std::string>> answered) mutable {
        operations_->aside([answered = std::move(answered), work = std::move(work)]() mutable {
            answered(work());
        });
    };
    co_return co_await exchange::answer_of<Result<std::string>>(std::move(ask));
}

}  // namespace runnel::server
