#pragma once

#include "access/caller.hpp"
#include "api/api.hpp"
#include "exchange/admission/account.hpp"
#include "exchange/gateway.hpp"
#include "exchange/guard.hpp"
#include "exchange/held_memory.hpp"
#include "exchange/operations/whole_operation.hpp"
#include "exchange/shared_state.hpp"
#include "exchange/worker.hpp"
#include "http/server/connection.hpp"
#include "router/router.hpp"
#include "telemetry/request_log.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

namespace runnel::exchange {

// One request whose answer is one whole body, from start to finish, on the road that chats take:
// read, routed, looked at by guardrails, admitted, reserved, asked, recorded.
class OperationExchange {
public:
    // All pointers must outlive the exchange; `record` is filled for the log. Errors have the shape
    // of `api`.
    OperationExchange(std::shared_ptr<const Gateway> gateway, Worker* worker, SharedState* shared,
                      http::Transaction* transaction, telemetry::RequestRecord* record,
                      access::Caller caller, const api::Api* api,
                      std::unique_ptr<WholeOperation> operation, api::Incoming incoming);

    boost::asio::awaitable<void> run();

    // The name of the model that was asked for, as the config has it, never an alias; empty: there
    // is no such model.
    const std::string& model() const { return route_.name; }

    // When it is over, for the journal:
    storage::JournalWriter::Ticket ticket() const { return account_.ticket(); }
    // What was asked, where that is kept; else empty. Answers of this kind are not kept.
    std::string content() const;

private:
    boost::asio::awaitable<Result<void>> answer();
    Result<void> read();
    Result<void> route();
    Result<void> leave_out_others();
    boost::asio::awaitable<Result<void>> guard();
    boost::asio::awaitable<Result<void>> ask();
    void note_usage();
    bool keeps_content() const;
    boost::asio::awaitable<void> tell();
    boost::asio::awaitable<void> refuse(Error error);

    std::shared_ptr<const Gateway> gateway_;
    Worker* worker_;
    SharedState* shared_;
    http::Transaction* transaction_;
    telemetry::RequestRecord* record_;
    access::Caller caller_;
    const api::Api* api_;
    std::unique_ptr<WholeOperation> operation_;
    api::Incoming incoming_;
    router::Route route_;
    Guard guard_;
    Account account_;
    HeldMemory memory_;  // what guardrails, the log and the answers keep
    std::string asked_;  // its body, where what is said is kept
    std::int64_t estimated_tokens_ = 0;
};

}  // namespace runnel::exchange
