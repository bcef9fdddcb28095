#pragma once

#include "exchange/gateway.hpp"
#include "exchange/shared_state.hpp"
#include "http/connection.hpp"
#include "policy/caller.hpp"
#include "policy/claim.hpp"
#include "policy/key_ring.hpp"
#include "server/authentication.hpp"
#include "server/console.hpp"
#include "server/console_state.hpp"
#include "server/keys.hpp"
#include "server/model_names.hpp"
#include "server/operations.hpp"
#include "telemetry/request_log.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::server {

// The gateway's endpoints: finds who answers a request, and sees to what every answer has (request
// id, CORS, a log line). One per thread.
class App final : public http::RequestHandler {
public:
    // All pointers must outlive the app.
    App(std::shared_ptr<const exchange::Gateway> gateway, exchange::Worker* worker,
        exchange::SharedState* shared, ConsoleState* console, Operations* operations);

    // For the requests that come from now on.
    void use(std::shared_ptr<const exchange::Gateway> gateway);

    boost::asio::awaitable<void> handle(http::Transaction* transaction) override;
    std::string describe(const Error& error, const http::Request* request,
                         http::HeaderList* headers) override;

    // From now on whoever asks is told that this process wants no more requests.
    void begin_drain() { draining_ = true; }

    // What is answered, as the table of endpoints has it.
    struct Route {
        std::string_view method;
        std::string_view path;  // a * in it stands for one character or more
        std::string_view who;   // everybody, admin, or the scope that a key needs
    };
    static std::vector<Route> routes();

private:
    using Answer = boost::asio::awaitable<void>;
    struct Endpoint;
    // What the journal and the metrics are told of a request besides its record.
    struct Journaled {
        bool wanted = false;
        std::string model{};
        store::JournalWriter::Ticket ticket{};
        std::string content{};
    };
    // A request that was let in.
    struct Asked {
        http::Transaction* transaction;
        telemetry::RequestRecord* record;
        policy::Caller caller;
        Journaled* entry;
        const Endpoint* endpoint;
    };

    // What every request has: an id, CORS fields, the beginning of its log line.
    telemetry::RequestRecord begin(const http::Request& request, http::HeaderList* headers);
    Answer dispatch(http::Transaction* transaction, telemetry::RequestRecord* record,
                    Journaled* entry);
    static std::span<const Endpoint> endpoints();
    // The endpoint for a path and method, or the methods that the path takes.
    struct Found;
    static Found find(std::string_view path, std::string_view method);
    Result<policy::Caller> admit(const Endpoint& endpoint, const http::Transaction& transaction);
    Result<AdminBy> admits(const http::Transaction& transaction) const;
    AdminProof admin_proof() const;
    static Result<void> check_type(const Endpoint& endpoint, const http::Request& request);
    Pages pages_of(const http::Request& request);
    KeyOffice key_office(const Asked& asked) const;
    // Whom the audit log names.
    store::Actor actor_of(const Asked& asked) const;
    Gatekeeper gatekeeper();
    // Whatever the request is answered with tells how the caller's limits stand.
    void show_limits(http::Transaction* transaction, const telemetry::RequestRecord* record);
    void tell_limits(const http::Request& request, std::string_view client_address,
                     const telemetry::RequestRecord& record, http::HeaderList& headers);
    std::shared_ptr<const policy::Key> key_that_asks(const http::Request& request,
                                                     const telemetry::RequestRecord& record);
    std::string model_that_is_asked(const telemetry::RequestRecord& record) const;
    // Where what the caller may ask of the endpoint is not used up.
    Answer answer_within_limits(Asked asked);
    // A chat whose body is long in coming has requests left, whatever the model it will ask for.
    Result<void> may_send_more(const Asked& asked) const;
    // Once the request's body is there, where the endpoint takes one.
    Answer answer_with_body(Asked asked);
    Answer answer_after_body(Asked asked);
    static Result<http::BodyIntake::Progress> begin_body(const Asked& asked);
    telemetry::TraceContext begin_trace(const http::HeaderList& headers) const;
    Answer chat(Asked asked);
    Answer models(Asked asked);
    Answer tools(Asked asked);
    Answer run_tool(Asked asked);
    Answer health(Asked asked);
    Answer readiness(Asked asked);
    Answer metrics(Asked asked);
    Answer description(Asked asked);
    Answer providers(Asked asked);
    Answer reload_config(Asked asked);
    Answer list_keys(Asked asked);
    Answer create_key(Asked asked);
    Answer create_wallet_key(Asked asked);
    Answer show_key(Asked asked);
    Answer update_key(Asked asked);
    Answer rotate_key(Asked asked);
    Answer revoke_key(Asked asked);
    Answer logs(Asked asked);
    Answer log_entry(Asked asked);
    Answer log_content(Asked asked);
    Answer log_stream(Asked asked);
    Answer export_log(Asked asked);
    Answer forget_log(Asked asked);
    Answer usage(Asked asked);
    Answer balance(Asked asked);
    Answer home(Asked asked);
    // The console, where it has something at the path.
    Answer page(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer session(Asked asked);
    Answer sign_in(Asked asked);
    Answer sign_out(Asked asked);
    Answer make_link(Asked asked);
    Answer send_session(Asked asked, Result<std::string> cookie, SignedIn signed_in);
    Answer overview(Asked asked);
    Answer prices(Asked asked);
    Answer config(Asked asked);
    Answer check_config(Asked asked);
    Answer audit(Asked asked);
    boost::asio::awaitable<Result<std::string>>
    aside(std::move_only_function<Result<std::string>()> work);
    Answer preflight(http::Transaction* transaction);
    Answer turn_away(http::Transaction* transaction, telemetry::RequestRecord* record, Error error);
    Answer refuse(http::Transaction* transaction, telemetry::RequestRecord* record, Error error);
    Answer send_result(http::Transaction* transaction, telemetry::RequestRecord* record,
                       Result<std::string> body, int status = 200);
    Answer send_secret(Asked asked, Result<std::string> body, int status);
    static Answer send_json(http::Transaction* transaction, int status, std::string body);

    std::shared_ptr<const exchange::Gateway> gateway_;
    ModelNames model_names_;  // the gateway's
    exchange::Worker* worker_;
    exchange::SharedState* shared_;
    ConsoleState* console_;
    Operations* operations_;
    policy::KeyRingView keys_;
    std::int64_t started_;
    bool draining_ = false;
};

}  // namespace runnel::server
