#include "exchange/account.hpp"

#include "exchange/answer_of.hpp"
#include "exchange/rate_fields.hpp"
#include "exchange/utc_now.hpp"
#include "policy/cost.hpp"
#include "policy/endpoint.hpp"
#include "policy/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::exchange {

using boost::asio::awaitable;

namespace {

std::string target_name(const Gateway& gateway, const router::Target& target) {
    return gateway.providers[target.provider].name + '/' + target.model;
}

}  // namespace

Account::Account(std::shared_ptr<const Gateway> gateway, Worker* worker, SharedState* shared,
                 telemetry::RequestRecord* record, const policy::Caller* caller)
    : gateway_(std::move(gateway)),
      worker_(worker),
      shared_(shared),
      record_(record),
      caller_(caller) {}

// Also where the request was broken off.
Account::~Account() { settle(); }

awaitable<Result<void>> Account::open(const chat::Request* request, const router::Route* route,
                                      http::HeaderList* headers) {
    input_tokens_ = policy::estimated_input_tokens(*request);
    output_tokens_ = policy::reserved_output_tokens(*request, route->max_tokens,
                                                    gateway_->access.limits.reserved_output_tokens);
    policy::Claim claim = make_claim(record_->completion_id, *request, *route);
    if (!claim.holds.empty()) {
        const policy::Verdict verdict = co_await reserve(&claim);
        if (verdict.rate) add_rate_fields(*verdict.rate, utc_now(), headers);
        if (verdict.refusal) co_return fail(*verdict.refusal);
        claim_id_ = std::move(claim.id);
    }
    enter_in_journal(*route);
    co_return Result<void>{};
}

awaitable<policy::Verdict> Account::reserve(const policy::Claim* claim) {
    const auto ask = [this, claim](policy::Meter::Answer answer) {
        shared_->meter->reserve(*claim, std::move(answer));
    };
    co_return co_await answer_of<policy::Verdict>(ask);
}

// It is one request all the same: only its money is asked for again. What the rounds before it cost
// is still reserved as it was, so the budget holds whatever they turn out to have cost.
awaitable<Result<void>> Account::open_round(const chat::Request* request,
                                            const router::Route* route) {
    std::string id = fmt::format("{}#{}", record_->completion_id, round_ids_.size() + 2);
    policy::Claim claim = make_claim(std::move(id), *request, *route);
    std::erase_if(claim.holds,
                  [](const policy::Hold& hold) { return hold.of != policy::Hold::Of::nano_usd; });
    if (claim.holds.empty()) co_return Result<void>{};
    policy::Verdict verdict = co_await reserve(&claim);
    if (verdict.refusal) {
        verdict.refusal->kind = ErrorKind::insufficient_balance;
        co_return fail(std::move(*verdict.refusal));
    }
    round_ids_.push_back(std::move(claim.id));
    co_return Result<void>{};
}

policy::Claim Account::make_claim(std::string id, const chat::Request& request,
                                  const router::Route& route) {
    // The dearest of those who may answer.
    std::optional<policy::Price> price;
    std::optional<Money> dearest;
    for (const router::Target& target : route.targets) {
        const auto found = price_of(target_name(*gateway_, target));
        if (!found) continue;
        const Money cost = policy::most_expensive(input_tokens_, output_tokens_, *found);
        if (dearest && cost <= *dearest) continue;
        dearest = cost;
        price = found;
    }
    reserved_ = dearest;
    policy::ClaimFacts facts;
    facts.key = caller_->key.get();
    facts.model = route.name.empty() ? std::string_view(request.model) : route.name;
    facts.client_address = caller_->address;
    facts.endpoint = policy::chat_endpoint;
    facts.input_tokens = input_tokens_;
    facts.output_tokens = output_tokens_;
    facts.price = price ? &*price : nullptr;
    return policy::make_claim(std::move(id), facts, gateway_->access.limits, utc_now());
}

void Account::enter_in_journal(const router::Route& route) {
    if (worker_->journal == nullptr) return;
    const std::string target = target_name(*gateway_, route.targets.front());
    store::Opening opening{.completion_id = record_->completion_id};
    opening.request_id = record_->request_id;
    opening.key_id = record_->key_id;
    opening.team = record_->team;
    opening.model = record_->model_asked;
    opening.target = target;
    opening.began = record_->began;
    opening.input_tokens = input_tokens_;
    opening.output_tokens = output_tokens_;
    opening.reserved = reserved_;
    opening.claim_id = claim_id_;
    ticket_ = worker_->journal->open(opening);
}

std::optional<policy::Price> Account::price_of(std::string_view target) const {
    const std::size_t slash = target.find('/');
    const std::string_view provider = target.substr(0, slash);
    const auto slot = std::ranges::find(gateway_->providers, provider, &ProviderSlot::name);
    if (slot == gateway_->providers.end()) return std::nullopt;
    return gateway_->prices.find(provider, slot->kind, target.substr(slash + 1));
}

void Account::settle() {
    if (record_->attempts.empty()) {
        if (!claim_id_.empty()) shared_->meter->settle(claim_id_, {});
        claim_id_.clear();
        return;
    }
    if (!std::exchange(priced_, true)) {
        estimate_usage();
        price_usage();
    }
    if (claim_id_.empty()) return;
    for (const std::string& id : std::exchange(round_ids_, {})) shared_->meter->settle(id, {});
    policy::Settlement settlement{policy::Settlement::Reached::provider};
    if (record_->usage) settlement.tokens = record_->usage->total();
    settlement.cost = record_->cost.value_or(Money{});
    shared_->meter->settle(claim_id_, settlement);
    claim_id_.clear();
}

// A provider that was cut short, or does not count, has read and written all
// the same.
void Account::estimate_usage() {
    using enum telemetry::RequestRecord::Provenance;
    if (record_->usage_provenance != none) return;
    if (record_->usage) {
        record_->usage_provenance = reported;
        return;
    }
    if (record_->answer_bytes == 0) return;
    record_->usage = estimate(record_->answer_bytes);
    record_->usage_provenance = estimated;
}

timeline::Usage Account::estimate(std::uint64_t uncounted_bytes) const {
    timeline::Usage usage = record_->usage.value_or(timeline::Usage{.fresh_input = input_tokens_});
    usage.output += policy::estimated_tokens(uncounted_bytes);
    return usage;
}

void Account::price_usage() {
    if (!record_->usage) {
        record_->cost = Money{};  // nobody charges for nothing
        return;
    }
    const auto& attempts = record_->attempts;
    const auto answered = std::ranges::find_if(
        attempts, [](const telemetry::AttemptRecord& attempt) { return attempt.error.empty(); });
    const auto price =
        price_of(answered == attempts.end() ? attempts.back().target : answered->target);
    if (price) record_->cost_lines = policy::cost_of(*record_->usage, *price);
    for (const telemetry::ToolRecord& tool : record_->tools)
        if (const auto fee = gateway_->prices.tool_fee(tool.name))
            record_->cost_lines.push_back(policy::tool_fee(tool.name, 1, *fee));
    if (price) record_->cost = total_of(record_->cost_lines);
}

}  // namespace runnel::exchange
