#include "server/limits.hpp"

#include "exchange/admission/limit_headers.hpp"
#include "exchange/await_callback.hpp"
#include "exchange/utc_now.hpp"
#include "metering/claim.hpp"
#include "metering/endpoint.hpp"
#include "metering/meter.hpp"
#include "server/endpoints.hpp"
#include "server/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace runnel::server {

using exchange::utc_now;
using metering::Claim;

namespace {

bool limits_requests(const Claim& claim) {
    return std::ranges::find(claim.holds, metering::Hold::Of::requests, &metering::Hold::of) !=
           claim.holds.end();
}

// The key that a request brings, also where it was not let in.
std::shared_ptr<const access::Key> key_that_asks(Resources& resources, const http::Request& request,
                                                 const telemetry::RequestRecord& record) {
    if (record.key_id.empty()) return key_of(request, gatekeeper_of(resources), utc_now());
    const auto& ring = resources.keys.ring();
    return {ring, ring->find(record.key_id)};
}

// By the name that its limits have; empty where none was asked.
std::string model_that_is_asked(const router::Router& router,
                                const telemetry::RequestRecord& record) {
    if (record.model_asked.empty()) return {};
    const auto route = router.resolve(record.model_asked);
    return route && !route->name.empty() ? route->name : record.model_asked;
}

bool asks_a_model(std::string_view path) {
    const Endpoint* endpoint = nearest_endpoint(path);
    return endpoint != nullptr && endpoint->kind == Endpoint::Kind::inference;
}

metering::ClaimFacts facts_of(const Call& call) {
    metering::ClaimFacts facts{.key = call.caller.key.get(), .client_address = call.caller.address};
    facts.endpoint = metering::endpoint_at(plain_path(call.request().path()));
    return facts;
}

// A request that was let in, until it is answered. What the gateway refuses counts nothing.
class CountedRequest {
public:
    CountedRequest(metering::Meter* meter, std::string claim_id, const http::Responder* responder)
        : meter_(meter),
          claim_id_(std::move(claim_id)),
          responder_(responder) {}
    CountedRequest(const CountedRequest&) = delete;
    CountedRequest& operator=(const CountedRequest&) = delete;
    ~CountedRequest() {
        using Reached = metering::Settlement::Reached;
        const int status = responder_->status();
        const bool refused = status >= 400 && status < 500;
        meter_->settle(claim_id_, {refused ? Reached::nobody : Reached::provider});
    }

private:
    metering::Meter* meter_;
    std::string claim_id_;
    const http::Responder* responder_;
};

}  // namespace

void show_limits(const Call& call) {
    call.transaction->responder->before_head([resources = call.resources,
                                              transaction = call.transaction,
                                              record = call.record](http::HeaderList& headers) {
        tell_limits(*resources, transaction->request, transaction->client_address, *record,
                    headers);
    });
}

void tell_limits(Resources& resources, const http::Request& request,
                 std::string_view client_address, const telemetry::RequestRecord& record,
                 http::HeaderList& headers) {
    const std::string path = plain_path(request.path());
    const bool is_of_keys = path.starts_with("/v1/") || path.starts_with("/v1beta/");
    if (!is_of_keys || exchange::has_rate_fields(headers)) return;
    const metering::SharedLimits& limits = resources.gateway->access.limits;
    const auto key = key_that_asks(resources, request, record);
    if (!metering::may_limit_requests(key.get(), limits)) return;
    metering::ClaimFacts facts{.key = key.get(), .client_address = client_address};
    facts.endpoint = metering::endpoint_at(path);
    // Where the endpoint has limits of its own, they are what the request is under.
    Claim claim;
    if (!asks_a_model(path)) claim = metering::endpoint_claim({}, facts, limits, utc_now());
    if (!limits_requests(claim)) {
        const std::string model = model_that_is_asked(resources.gateway->router, record);
        facts.model = model;
        claim = metering::make_claim({}, facts, limits, utc_now());
    }
    if (const auto rate = resources.shared->meter->glance(claim))
        exchange::add_rate_fields(*rate, utc_now(), &headers);
}

Result<void> may_send_more(const Call& call) {
    const access::Caller& caller = call.caller;
    const metering::SharedLimits& limits = call.gateway().access.limits;
    if (caller.kind == access::Caller::Kind::admin ||
        !metering::may_limit_requests(caller.key.get(), limits))
        return {};
    const Claim claim = metering::make_claim({}, facts_of(call), limits, utc_now());
    const auto rate = call.resources->shared->meter->glance(claim);
    if (!rate || rate->remaining > 0) return {};
    Error error{ErrorKind::rate_limit_exceeded,
                fmt::format("The limit of {} requests is reached, so the body was not read. Try "
                            "again in {} s.",
                            rate->limit,
                            std::chrono::ceil<std::chrono::seconds>(rate->resets_in).count())};
    error.retry_after = rate->resets_in;
    return fail(std::move(error));
}

Answer answer_within_limits(Call call, Answer (*then)(Call)) {
    Claim claim;
    if (call.caller.kind != access::Caller::Kind::admin)
        claim = metering::endpoint_claim(call.resources->worker->ids.next("visit_"), facts_of(call),
                                         call.gateway().access.limits, utc_now());
    if (claim.holds.empty()) {
        co_await then(std::move(call));
        co_return;
    }
    metering::Meter* meter = call.resources->shared->meter;
    const auto ask = [meter, &claim](metering::Meter::Answer decided) {
        meter->reserve(claim, std::move(decided));
    };
    metering::Verdict verdict = co_await exchange::await_callback<metering::Verdict>(ask);
    if (verdict.rate) exchange::add_rate_fields(*verdict.rate, utc_now(), &call.answer_headers());
    if (verdict.refusal) {
        co_await refuse(call, std::move(*verdict.refusal));
        co_return;
    }
    const CountedRequest counted(meter, std::move(claim.id), call.transaction->responder);
    co_await then(std::move(call));
}

}  // namespace runnel::server
