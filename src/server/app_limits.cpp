#include "exchange/answer_of.hpp"
#include "exchange/rate_fields.hpp"
#include "exchange/utc_now.hpp"
#include "policy/endpoint.hpp"
#include "policy/meter.hpp"
#include "server/app.hpp"
#include "server/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

// What every answer tells of the caller's limits, and the limits that are an endpoint's own.
namespace runnel::server {

using boost::asio::awaitable;
using exchange::utc_now;
using policy::Claim;

namespace {

bool limits_requests(const Claim& claim) {
    return std::ranges::find(claim.holds, policy::Hold::Of::requests, &policy::Hold::of) !=
           claim.holds.end();
}

// A request that was let in, until it is answered. What the gateway refuses counts nothing.
class Visit {
public:
    Visit(policy::Meter* meter, std::string claim_id, const http::Responder* responder)
        : meter_(meter),
          claim_id_(std::move(claim_id)),
          responder_(responder) {}
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
        using Reached = policy::Settlement::Reached;
        const int status = responder_->status();
        const bool refused = status >= 400 && status < 500;
        meter_->settle(claim_id_, {refused ? Reached::nobody : Reached::provider});
    }

private:
    policy::Meter* meter_;
    std::string claim_id_;
    const http::Responder* responder_;
};

}  // namespace

void App::show_limits(http::Transaction* transaction, const telemetry::RequestRecord* record) {
    transaction->responder->before_head([this, transaction, record](http::HeaderList& headers) {
        tell_limits(transaction->request, transaction->client_address, *record, headers);
    });
}

// Also where it was not let in.
std::shared_ptr<const policy::Key> App::key_that_asks(const http::Request& request,
                                                      const telemetry::RequestRecord& record) {
    if (record.key_id.empty()) return key_of(request, gatekeeper(), utc_now());
    const auto& ring = keys_.ring();
    return {ring, ring->find(record.key_id)};
}

// By the name that its limits have; empty where none was asked.
std::string App::model_that_is_asked(const telemetry::RequestRecord& record) const {
    if (record.model_asked.empty()) return {};
    const auto route = gateway_->router.resolve(record.model_asked);
    return route && !route->name.empty() ? route->name : record.model_asked;
}

void App::tell_limits(const http::Request& request, std::string_view client_address,
                      const telemetry::RequestRecord& record, http::HeaderList& headers) {
    const std::string_view path = plain_path(request.path());
    if (!path.starts_with("/v1/") || exchange::has_rate_fields(headers)) return;
    const policy::SharedLimits& limits = gateway_->access.limits;
    const auto key = key_that_asks(request, record);
    if (!policy::may_limit_requests(key.get(), limits)) return;
    policy::ClaimFacts facts{.key = key.get(), .client_address = client_address};
    facts.endpoint = policy::endpoint_at(path);
    // Where the endpoint has limits of its own, they are what the request is under.
    Claim claim;
    if (facts.endpoint != policy::chat_endpoint)
        claim = policy::endpoint_claim({}, facts, limits, utc_now());
    if (!limits_requests(claim)) {
        const std::string model = model_that_is_asked(record);
        facts.model = model;
        claim = policy::make_claim({}, facts, limits, utc_now());
    }
    if (const auto rate = shared_->meter->glance(claim))
        exchange::add_rate_fields(*rate, utc_now(), &headers);
}

Result<void> App::may_send_more(const Asked& asked) const {
    const policy::Caller& caller = asked.caller;
    const policy::SharedLimits& limits = gateway_->access.limits;
    if (caller.kind == policy::Caller::Kind::admin ||
        !policy::may_limit_requests(caller.key.get(), limits))
        return {};
    policy::ClaimFacts facts{.key = caller.key.get(), .client_address = caller.address};
    facts.endpoint = policy::chat_endpoint;
    const auto rate = shared_->meter->glance(policy::make_claim({}, facts, limits, utc_now()));
    if (!rate || rate->remaining > 0) return {};
    Error error{ErrorKind::rate_limit_exceeded,
                fmt::format("The limit of {} requests is reached, so the body was not read. Try "
                            "again in {} s.",
                            rate->limit,
                            std::chrono::ceil<std::chrono::seconds>(rate->resets_in).count())};
    error.retry_after = rate->resets_in;
    return fail(std::move(error));
}

awaitable<void> App::answer_within_limits(Asked asked) {
    const policy::Caller& caller = asked.caller;
    http::Responder* responder = asked.transaction->responder;
    policy::ClaimFacts facts{.key = caller.key.get(), .client_address = caller.address};
    facts.endpoint = policy::endpoint_at(plain_path(asked.transaction->request.path()));
    Claim claim;
    if (caller.kind != policy::Caller::Kind::admin)
        claim = policy::endpoint_claim(worker_->ids.next("visit_"), facts, gateway_->access.limits,
                                       utc_now());
    if (claim.holds.empty()) {
        co_await answer_with_body(std::move(asked));
        co_return;
    }
    const auto ask = [this, &claim](policy::Meter::Answer decided) {
        shared_->meter->reserve(claim, std::move(decided));
    };
    policy::Verdict verdict = co_await exchange::answer_of<policy::Verdict>(ask);
    if (verdict.rate) exchange::add_rate_fields(*verdict.rate, utc_now(), &responder->headers());
    if (verdict.refusal) {
        co_await refuse(asked.transaction, asked.record, std::move(*verdict.refusal));
        co_return;
    }
    const Visit visit(shared_->meter, std::move(claim.id), responder);
    co_await answer_with_body(std::move(asked));
}

}  // namespace runnel::server
