#pragma once

#include "access/caller.hpp"
#include "access/key_ring.hpp"
#include "exchange/gateway.hpp"
#include "exchange/shared_state.hpp"
#include "exchange/worker.hpp"
#include "http/server/connection.hpp"
#include "server/admin/operations.hpp"
#include "server/authentication.hpp"
#include "server/console/console_state.hpp"
#include "storage/audit.hpp"
#include "telemetry/request_log.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <utility>

namespace runnel::server {

struct Endpoint;
class ModelNames;
using Answer = boost::asio::awaitable<void>;

// What endpoints may use. One per thread; the pointers outlive it.
struct Resources {
    std::shared_ptr<const exchange::Gateway> gateway;  // another once the config was read again
    exchange::Worker* worker;
    exchange::SharedState* shared;
    ConsoleState* console;
    Operations* operations;
    access::KeyRingView keys;
    const ModelNames* model_names = nullptr;  // the gateway's
    bool draining = false;                    // the process wants no more requests
};

// What the journal and the metrics are told of a request besides its record.
struct JournalEntry {
    bool wanted = false;
    std::string model{};
    storage::JournalWriter::Ticket ticket{};
    std::string content{};
};

// A request, and what it is answered with. `transaction`, `record`, `resources` and `entry` outlive
// the answer.
struct Call {
    http::Transaction* transaction;
    telemetry::RequestRecord* record;
    Resources* resources;
    JournalEntry* entry;
    const Endpoint* endpoint = nullptr;  // null: none has been found
    access::Caller caller{};

    http::Request& request() const { return transaction->request; }
    const exchange::Gateway& gateway() const { return *resources->gateway; }  // of this moment
    http::HeaderList& answer_headers() const { return transaction->responder->headers(); }
    // What the * in the endpoint's path stands for, unescaped; empty: it has none. Of two, what
    // both stand for.
    std::string path_variable() const;
    std::pair<std::string, std::string> path_variables() const;
};

// Whether it is Anthropic's API that the client speaks, at a path that others ask at too.
bool speaks_messages(const Call& call);

// What the log, the metrics, the journal and the traces are told when a request has ended.
void record_end(Resources* resources, telemetry::RequestRecord&& record, const JournalEntry& entry);

// Answers. The call itself may be gone before they are sent.
Answer send(const Call& call, int status, std::string_view type, std::string body);
Answer send_json(const Call& call, int status, std::string body);
Answer send_result(const Call& call, Result<std::string> body, int status = 200);
// One that nobody on its way may keep.
Answer send_secret(const Call& call, Result<std::string> body, int status = 200);
// An error, as the endpoint's API has them.
Answer refuse(const Call& call, Error error);
// An error after a wait: the client may have left meanwhile, or the gateway may be shutting down.
Answer turn_away(const Call& call, Error error);
// The body of an error that is answered at this path.
std::string error_body(std::string_view path, const Error& error);

// Takes what has come of the body, within what this caller may send.
Result<http::BodyIntake::Progress> begin_body(const Call& call);

// What is known about who may ask. Ends with the next change of the keys or the config.
Gatekeeper gatekeeper_of(Resources& resources);
// Whether the client may use the admin API, and by what.
Result<AdminBy> may_administer(const Call& call);
// Whom the audit log names.
storage::Actor actor_of(const Call& call);

}  // namespace runnel::server
