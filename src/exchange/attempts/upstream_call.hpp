#pragma once

#include "exchange/attempts/deadlines.hpp"
#include "exchange/gateway.hpp"
#include "exchange/worker.hpp"
#include "http/stop.hpp"
#include "http/watchdog.hpp"
#include "provider/core/answer_body.hpp"
#include "provider/provider.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace runnel::exchange {

// One attempt to get an answer from one provider: connects, asks, and has what comes back read,
// piece by piece, until the answer has ended. Every way it can fail is told to whoever reads it.
class UpstreamCall final : private http::CallHandler {
public:
    // What is asked, of whom, and for how long. The pointers must outlive the call.
    struct Question {
        const ProviderSlot* slot;
        const provider::Credentials* credentials;  // those of the slot's that are used
        provider::Outgoing outgoing;
        Deadlines deadlines;
        http::ConnectionPool::Reuse reuse = http::ConnectionPool::Reuse::allowed;
    };
    // `worker` and `body` must outlive the call. `watchdog` is used for the deadlines; null: one of
    // its own.
    UpstreamCall(Worker* worker, Question question, provider::AnswerBody* body,
                 http::Watchdog* watchdog);
    ~UpstreamCall() override;

    // Waits for the next bytes and has them read; call it until the answer has ended. What was made
    // of them can be sent on before the next call: upstream is not read meanwhile.
    boost::asio::awaitable<void> advance();
    bool ended() const { return body_->ended(); }
    // It failed because a kept connection was closed before the request got there, which is
    // nobody's fault: it can be asked again, on a new one.
    bool was_stale() const { return stale_connection_; }
    // Whoever is asked has the question, and has not refused it.
    bool was_asked() const { return status_ == 200 || (status_ == 0 && wait_ != Wait::connect); }
    // It was ended because the request's own time was over.
    bool outlasted_request() const {
        return question_.deadlines.request_timeout &&
               stop_.reason() == http::Stop::Reason::total_timeout;
    }
    // From outside, while it waits: the answer ends as failed.
    void stop(http::Stop::Reason reason) { stop_.request(reason); }
    // Between two calls of advance(): nothing more is wanted of it.
    void end_with(Error error) { body_->fail(std::move(error)); }
    // Of the question, and of what has come of the answer and is not told yet.
    std::size_t held_bytes() const {
        return question_.outgoing.body.size() + body_->held_bytes() + error_body_.size();
    }

    // The client takes its time: the provider's deadlines wait, and begin anew.
    void pause_watch() { watchdog_->stop(); }
    void restart_watch();
    // The answer has begun, so what was asked is not needed any more: a long prompt need not stay
    // in memory as long as its answer streams.
    void forget_question();

    const std::vector<std::string>& warnings() const { return question_.outgoing.warnings; }

private:
    using Clock = std::chrono::steady_clock;

    boost::asio::awaitable<void> open();
    boost::asio::awaitable<Result<void>> prove_who_asks();
    boost::asio::awaitable<Result<void>> ask();
    boost::asio::awaitable<void> play_next_piece();
    void after_read();
    void finish_reading();
    void on_head(const http::ResponseHead& head) override;
    void on_body(Padded bytes) override;
    void on_read(const Result<void>& read) override;
    void watch(http::Stop::Reason reason, Clock::time_point deadline);
    void watch_progress();
    void lost(const Error& why);
    void fail_as_provider_says();
    void ask_again();
    Error timed_out(http::Stop::Reason reason) const;

    Worker* worker_;
    Question question_;
    provider::AnswerBody* body_;
    http::Stop stop_;
    std::optional<http::Watchdog> own_watchdog_;
    http::Watchdog* watchdog_;
    http::Call call_;
    std::size_t unproven_headers_ = 0;  // of the question; the rest proves who asks
    std::size_t next_piece_ = 0;        // of a script
    Clock::time_point total_deadline_;
    enum class Wait { connect, first_token, progress, grace } wait_ = Wait::connect;
    std::uint64_t progress_seen_ = 0;
    int status_ = 0;
    provider::ErrorReply error_reply_;
    std::string error_body_;
    bool repaired_ = false;
    bool renewed_ = false;  // what proves who asks
    bool stale_connection_ = false;
};

}  // namespace runnel::exchange
