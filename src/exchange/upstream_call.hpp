#pragma once

#include "exchange/gateway.hpp"
#include "http/stop.hpp"
#include "http/watchdog.hpp"
#include "provider/answer_reader.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace runnel::exchange {

// One attempt to get an answer from one provider: connects, asks, and feeds what comes back into an
// AnswerReader, read by read, until the answer has ended. Every way it can fail ends as a Failed
// event of that reader's timeline.
class UpstreamCall final : private http::ResponseHandler {
public:
    // All pointers must outlive the call. `watchdog` is used for the provider's time-outs.
    UpstreamCall(Worker* worker, const ProviderSlot* slot, const provider::Outgoing* outgoing,
                 provider::AnswerReader* reader, http::Stop* stop, http::Watchdog* watchdog);
    ~UpstreamCall() override;

    // Waits for the next bytes and feeds them to the reader; call it until the reader has ended.
    // What the reader's sink made of them can be sent on before the next call: upstream is not read
    // meanwhile.
    boost::asio::awaitable<void> advance();
    // The client took its time; the provider's deadlines begin anew.
    void restart_watch();

    bool stopped_by_client() const;

private:
    using Clock = std::chrono::steady_clock;

    boost::asio::awaitable<void> open();
    boost::asio::awaitable<void> play_next_piece();
    boost::asio::awaitable<Result<void>> connect_and_send(http::ConnectionPool::Reuse reuse);
    boost::asio::awaitable<Result<void>> read_first();
    void after_read();
    void on_head(const http::ResponseHead& head) override;
    void on_body(Padded bytes) override;
    void watch(http::Stop::Reason reason, Clock::time_point deadline);
    void watch_progress();
    void lost(const Error& why);
    void fail_as_provider_says();
    Error timed_out(http::Stop::Reason reason) const;

    Worker* worker_;
    const ProviderSlot* slot_;
    const provider::Outgoing* outgoing_;
    provider::AnswerReader* reader_;
    http::Stop* stop_;
    http::Watchdog* watchdog_;
    std::unique_ptr<http::UpstreamConnection> connection_;
    std::size_t next_piece_ = 0;  // of a script
    Clock::time_point total_deadline_;
    enum class Wait { connect, first_token, progress, grace } wait_ = Wait::connect;
    int status_ = 0;
    provider::ErrorReply error_reply_;
    std::string error_body_;
};

}  // namespace runnel::exchange
