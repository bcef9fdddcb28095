#include "exchange/attempts/upstream_call.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"
#include "base/release.hpp"
#include "exchange/await_callback.hpp"
#include "http/as_error.hpp"

#include <boost/asio/steady_timer.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>

namespace runnel::exchange {

namespace asio = boost::asio;
using asio::awaitable;
using http::Stop;
using Reuse = http::ConnectionPool::Reuse;
using std::chrono::milliseconds;

namespace {

// Where a finish reason may not be the end; limits::finish_grace_time where it is.
constexpr auto perhaps_grace_time = std::chrono::seconds(2);

// For the rest of an error's body.
constexpr auto error_body_time = std::chrono::seconds(2);

}  // namespace

UpstreamCall::UpstreamCall(Worker* worker, Question question, provider::AnswerBody* body,
                           http::Watchdog* watchdog)
    : worker_(worker),
      question_(std::move(question)),
      body_(body),
      watchdog_(watchdog),
      call_(worker->client.call(&question_.slot->destination)),
      total_deadline_(Clock::now() + question_.deadlines.total) {
    if (watchdog_ == nullptr) watchdog_ = &own_watchdog_.emplace(worker->executor());
}

UpstreamCall::~UpstreamCall() {
    watchdog_->stop();
    // An answer that ended well leaves a connection for the next; anything else is cut off at once.
    if (body_->ended() && !stop_.requested() && status_ != 0) call_.finish();
}

void UpstreamCall::forget_question() {
    release(question_.outgoing.body);
    release(question_.outgoing.headers);
}

awaitable<void> UpstreamCall::advance() {
    if (question_.outgoing.script) return play_next_piece();
    return call_.is_open() ? call_.read(this, &stop_) : open();
}

// Connects, asks, and reads the first bytes of the answer.
awaitable<void> UpstreamCall::open() {
    if (auto proven = co_await prove_who_asks(); !proven) {
        body_->fail(stop_.requested() ? timed_out(stop_.reason()) : std::move(proven.error()));
        co_return;
    }
    const auto asked = co_await ask();
    if (asked) {
        co_await call_.read(this, &stop_);
    } else {
        on_read(asked);
    }
}

// Last of all, and again where the question has been mended: signatures are of the final bytes.
awaitable<Result<void>> UpstreamCall::prove_who_asks() {
    using Proof = provider::Credentials::Proof;
    provider::Outgoing& asked = question_.outgoing;
    if (unproven_headers_ > 0) asked.headers.resize(unproven_headers_);
    unproven_headers_ = asked.headers.size();
    const provider::FinalRequest request{asked.method, question_.slot->provider->origin(),
                                         asked.path, asked.headers, asked.body};
    auto proof = co_await await_callback<Proof>([this, &request](Callback<Proof> done) {
        question_.credentials->prove(request, std::move(done));
    });
    if (!proof) co_return propagate(proof);
    std::ranges::move(*proof, std::back_inserter(asked.headers));
    co_return Result<void>{};
}

awaitable<Result<void>> UpstreamCall::ask() {
    if (question_.reuse == Reuse::forbidden || !call_.take_idle()) {
        wait_ = Wait::connect;
        watch(Stop::Reason::connect_timeout, Clock::now() + question_.deadlines.connect);
        auto connected = co_await call_.connect(&stop_);
        if (!connected) co_return connected;
    }
    wait_ = Wait::first_token;
    watch(Stop::Reason::first_token_timeout, Clock::now() + question_.deadlines.first_token);
    const provider::Outgoing& asked = question_.outgoing;
    co_return co_await call_.send({asked.method, asked.path, asked.headers, asked.body}, &stop_);
}

void UpstreamCall::on_read(const Result<void>& read) {
    if (read) return after_read();
    if (body_->ended()) return;
    stale_connection_ = !stop_.requested() && call_.was_stale();
    lost(read.error());
}

void UpstreamCall::after_read() {
    const bool done = call_.response_done();
    if (status_ != 0 && status_ != 200) {
        if (done || error_body_.size() >= limits::error_body_bytes) {
            fail_as_provider_says();
        } else if (wait_ != Wait::grace) {
            // What went wrong is known by now; the words for it are not waited for long.
            wait_ = Wait::grace;
            watch(Stop::Reason::finish_grace, Clock::now() + error_body_time);
        }
        return;
    }
    if (done) {
        finish_reading();
        return;
    }
    if (!body_->ended()) watch_progress();
}

// What a large answer made the thread's parser grow to is given back at once.
void UpstreamCall::finish_reading() {
    body_->finish();
    worker_->parser.forget_large();
}

void UpstreamCall::on_head(const http::ResponseHead& head) {
    status_ = head.status;
    if (status_ == 200) return;
    for (std::size_t i = 0; i < head.headers.size(); ++i) {
        const auto [name, value] = head.headers.at(i);
        error_reply_.headers.push_back({ascii::lowered(name), std::string(value)});
    }
    // When to come back may be told as a date, and then theirs is the clock to go by.
    if (std::ranges::find(error_reply_.headers, "date", &provider::Header::name) ==
        error_reply_.headers.end())
        error_reply_.headers.push_back(
            {"date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr)))});
}

void UpstreamCall::on_body(Padded bytes) {
    if (status_ == 200) {
        body_->feed(bytes);
        worker_->parser.forget_large();
    } else if (error_body_.size() < limits::error_body_bytes) {
        error_body_ += bytes.text();
    }
}

awaitable<void> UpstreamCall::play_next_piece() {
    const provider::Script& script = *question_.outgoing.script;
    status_ = script.status;
    if (next_piece_ == 0)
        watch(Stop::Reason::first_token_timeout, Clock::now() + question_.deadlines.first_token);
    if (next_piece_ == script.pieces.size()) {
        error_reply_ = {script.status, {}, error_body_};
        if (status_ == 200) {
            finish_reading();
        } else {
            body_->fail(question_.slot->provider->read_error(error_reply_));
        }
        co_return;
    }
    const provider::Script::Piece& piece = script.pieces[next_piece_++];
    if (piece.pause.count() > 0) {
        asio::steady_timer timer(co_await asio::this_coro::executor, piece.pause);
        Stop::Guard guard(&stop_, [&timer] { timer.cancel(); });
        co_await timer.async_wait(as_error);
    }
    if (stop_.requested()) {
        lost({});
        co_return;
    }
    std::string bytes = piece.bytes;
    on_body(Padded::of(bytes));
    if (!body_->ended()) watch_progress();
}

void UpstreamCall::watch(Stop::Reason reason, Clock::time_point deadline) {
    watchdog_->set(std::min(deadline, total_deadline_), [this, reason] {
        stop_.request(Clock::now() < total_deadline_ ? reason : Stop::Reason::total_timeout);
    });
}

void UpstreamCall::watch_progress() {
    const auto now = Clock::now();
    using Whole = provider::AnswerBody::Whole;
    const Whole whole = body_->is_whole();
    if (whole != Whole::no) {
        // Usage may follow, but nobody waits long for it.
        wait_ = Wait::grace;
        watch(Stop::Reason::finish_grace,
              now + (whole == Whole::perhaps ? perhaps_grace_time : limits::finish_grace_time));
    } else if (body_->progress() == progress_seen_) {
        return;  // a provider that only keeps the connection alive does not get on
    } else if (wait_ == Wait::progress) {
        watchdog_->move_to(std::min(now + question_.deadlines.idle, total_deadline_));
    } else {
        wait_ = Wait::progress;
        watch(Stop::Reason::idle_timeout, now + question_.deadlines.idle);
    }
    progress_seen_ = body_->progress();
}

void UpstreamCall::restart_watch() {
    if (wait_ != Wait::grace) wait_ = Wait::first_token;
    progress_seen_ = 0;
    watch_progress();
}

void UpstreamCall::lost(const Error& why) {
    const std::string_view display = question_.slot->provider->display_name();
    const auto fail_as = [&](ErrorKind kind, std::string message) {
        body_->fail({kind, std::move(message), {}, why.detail.empty() ? why.message : why.detail});
    };
    if (status_ != 0 && status_ != 200 && stop_.reason() != Stop::Reason::client_gone) {
        fail_as_provider_says();  // its status says more than the way its body ended
    } else if (stop_.reason() == Stop::Reason::finish_grace ||
               body_->is_whole() != provider::AnswerBody::Whole::no) {
        finish_reading();
    } else if (stop_.requested()) {
        body_->fail(timed_out(stop_.reason()));
    } else if (why.kind == ErrorKind::upstream_malformed) {
        fail_as(why.kind, fmt::format("{} sent a response that can't be read", display));
    } else if (body_->any_output()) {
        finish_reading();  // without a finish reason that is a truncated stream
        body_->fail(why);
    } else if (status_ == 200) {
        fail_as(ErrorKind::upstream_truncated, fmt::format("{}'s answer broke off", display));
    } else {
        fail_as(ErrorKind::upstream_unreachable,
                fmt::format("{} could not be reached: {}", display, why.message));
    }
}

void UpstreamCall::fail_as_provider_says() {
    error_reply_.status = status_;
    error_reply_.body = error_body_;
    const bool is_refused = status_ == 401 || status_ == 403;
    if (is_refused && !renewed_ && !stop_.requested() && question_.credentials->renew()) {
        renewed_ = true;
        ask_again();
    } else if (!repaired_ && !stop_.requested() &&
               question_.slot->provider->repair(error_reply_, &question_.outgoing)) {
        repaired_ = true;
        ask_again();
    } else {
        body_->fail(question_.slot->provider->read_error(error_reply_));
    }
}

// The next advance() begins anew.
void UpstreamCall::ask_again() {
    if (call_.response_done()) call_.finish();
    call_.drop();
    status_ = 0;
    error_reply_ = {};
    error_body_.clear();
}

Error UpstreamCall::timed_out(Stop::Reason reason) const {
    const std::string_view display = question_.slot->provider->display_name();
    const Deadlines& times = question_.deadlines;
    const auto seconds = [](milliseconds time) { return static_cast<double>(time.count()) / 1000; };
    const auto after = [&](std::string_view what, milliseconds time) {
        return Error{ErrorKind::upstream_timeout,
                     fmt::format("{} {} within {:g} s", display, what, seconds(time))};
    };
    switch (reason) {
        case Stop::Reason::connect_timeout:
            return after("did not accept a connection", times.connect);
        case Stop::Reason::first_token_timeout:
            return after("did not begin to answer", times.first_token);
        case Stop::Reason::idle_timeout:
            return after("stopped in the middle of its answer and sent nothing", times.idle);
        case Stop::Reason::total_timeout:
            if (times.request_timeout)
                return Error{ErrorKind::upstream_timeout,
                             fmt::format("{} did not finish its answer within the request's own "
                                         "time-out of {:g} s",
                                         display, seconds(*times.request_timeout))};
            return after("did not finish its answer", times.total);
        case Stop::Reason::shutdown:
            return Error{ErrorKind::overloaded, "the gateway is shutting down; try again"};
        default: return Error{ErrorKind::internal_error, "the client closed the connection"};
    }
}

}  // namespace runnel::exchange
