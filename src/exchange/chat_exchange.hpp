#pragma once

#include "dialect/dialect.hpp"
#include "exchange/continuity.hpp"
#include "exchange/gateway.hpp"
#include "http/connection.hpp"
#include "provider/answer_reader.hpp"
#include "telemetry/request_log.hpp"
#include "timeline/answer.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace runnel::exchange {

// One chat request from start to finish: read, route, ask, pump, end. It stands between the
// provider's timeline and the client: nothing is sent before there is something to show, so that a
// failure before it keeps its HTTP status.
class ChatExchange final : private timeline::Sink {
public:
    // All pointers must outlive the exchange; `record` is filled for the log.
    ChatExchange(const Gateway* gateway, Worker* worker, Continuity* continuity,
                 http::Transaction* transaction, telemetry::RequestRecord* record);

    boost::asio::awaitable<void> run();

private:
    using Clock = std::chrono::steady_clock;

    Result<void> prepare();
    Result<const dialect::Dialect*> choose_dialect(const chat::Request& request,
                                                   const router::Route& route) const;
    Result<void> apply_route();
    Result<void> ask(const router::Target& target);
    boost::asio::awaitable<void> pump();
    boost::asio::awaitable<void> wait_for_client();
    boost::asio::awaitable<void> finish();
    boost::asio::awaitable<void> refuse(Error error);
    void add_headers();
    void forget_request();
    void on(const timeline::Event& event) override;
    void note(const timeline::Event& event);
    bool streaming() const { return request_.streaming == chat::Streaming::yes; }

    const Gateway* gateway_;
    Worker* worker_;
    Continuity* continuity_;
    http::Transaction* transaction_;
    http::Responder* responder_;
    telemetry::RequestRecord* record_;
    Clock::time_point begun_ = Clock::now();

    chat::Request request_;
    router::Route route_;
    const dialect::Dialect* dialect_ = nullptr;
    const ProviderSlot* slot_ = nullptr;
    std::string state_owner_;
    dialect::Envelope envelope_;
    provider::Outgoing outgoing_;

    std::unique_ptr<dialect::Encoder> encoder_;  // of a streamed answer
    timeline::Fold fold_;                        // of a whole one
    std::optional<provider::AnswerReader> reader_;
    std::optional<Error> failure_;  // before anything was shown
};

}  // namespace runnel::exchange
