#include "exchange/admission/account.hpp"

#include "base/is_in.hpp"
#include "exchange/admission/limit_headers.hpp"
#include "exchange/await_callback.hpp"
#include "exchange/utc_now.hpp"
#include "metering/cost.hpp"
#include "metering/endpoint.hpp"
#include "metering/estimate.hpp"
#include "metering/model_version.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace runnel::exchange {

using boost::asio::awaitable;

namespace {

// What answers by itself costs nobody anything, whatever a budget has.
bool is_free(const ProviderSlot& provider) { return provider.kind == "demo"; }

void add_missing(const std::vector<std::string_view>& from, std::vector<std::string_view>& to) {
    for (const std::string_view name : from)
        if (!is_in(name, to)) to.push_back(name);
}

std::string target_name(const Gateway& gateway, const router::Target& target) {
    return gateway.providers[target.provider].name + '/' + target.model;
}

constexpr auto answer_time = std::chrono::seconds(3);  // of whoever counts limits and budgets
constexpr auto answer_retry_time = std::chrono::seconds(1);

Error too_late() {
    Error error{ErrorKind::store_unavailable,
                "This request's limits and budgets can't be checked: the store, or Redis, does not "
                "answer. Try again soon."};
    error.retry_after = answer_retry_time;
    return error;
}

}  // namespace

Account::Account(std::shared_ptr<const Gateway> gateway, metering::Meter* meter,
                 storage::JournalWriter* journal, telemetry::RequestRecord* record,
                 const access::Caller* caller)
    : gateway_(std::move(gateway)),
      meter_(meter),
      journal_(journal),
      record_(record),
      caller_(caller) {}

// Also where the request was broken off.
Account::~Account() { settle(); }

awaitable<Result<void>> Account::open(chat::Operation operation, router::Route* route,
                                      http::HeaderList* headers) {
    endpoint_ = metering::endpoint_of(operation.kind);
    input_tokens_ = operation.input_tokens;
    output_tokens_ = metering::reserved_output_tokens(
        operation, route->max_tokens, gateway_->access.limits.reserved_output_tokens);
    const LimitNames names = limit_names(*route);
    metering::Claim claim = make_claim(record_->completion_id, *route, names);
    if (auto priced = leave_out_unpriced(claim, names, route); !priced) co_return priced;
    if (!claim.holds.empty()) {
        const metering::Verdict verdict = co_await reserve(&claim);
        if (verdict.rate) add_rate_fields(*verdict.rate, utc_now(), headers);
        if (verdict.refusal) co_return fail(*verdict.refusal);
        claim_id_ = std::move(claim.id);
        note_budget_model(claim);
    }
    if (auto reserved = co_await reserve_targets(&names, route); !reserved) co_return reserved;
    enter_in_journal(*route);
    co_return Result<void>{};
}

// A process that takes over counts what is open here. Its journal has room for one model's budget.
void Account::note_budget_model(const metering::Claim& claim) {
    if (!budget_model_.empty()) return;
    for (const metering::Hold& hold : claim.holds)
        if (hold.of == metering::Hold::Of::nano_usd &&
            hold.holder.kind == metering::Holder::Kind::model)
            budget_model_ = hold.holder.name;
}

// Each of those who may answer is under its own limits too, under whatever name it was asked for.
// All of them are reserved, because any may be asked; who was not gives it back.
awaitable<Result<void>> Account::reserve_targets(const LimitNames* already, router::Route* route) {
    if (!limits_models()) co_return Result<void>{};
    std::optional<Error> refusal;
    std::vector<router::Target> left;
    for (router::Target& target : route->targets) {
        std::string id = fmt::format("{}@{}", record_->completion_id, targets_.size() + 1);
        const metering::Claim claim = claim_for(std::move(id), target, *already);
        if (!claim.holds.empty()) {
            metering::Verdict verdict = co_await reserve(&claim);
            if (verdict.refusal) {
                if (!refusal) refusal = std::move(verdict.refusal);
                continue;
            }
            note_budget_model(claim);
            targets_.push_back({claim.id, target_name(*gateway_, target)});
        }
        left.push_back(std::move(target));
    }
    if (left.empty()) {
        settle();
        co_return fail(std::move(*refusal));
    }
    route->targets = std::move(left);
    if (refusal) record_->warnings.emplace_back("limited_target_skipped");
    co_return Result<void>{};
}

// Whoever counts may have to ask a store, or a Redis, that says nothing: nobody waits for that for
// long. What is reserved after all is given back.
awaitable<metering::Verdict> Account::reserve(const metering::Claim* claim) {
    struct Asked {
        std::atomic<bool> answered = false;
        metering::Meter::Answer answer{};
    };
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    const auto ask = [this, claim, &timer](metering::Meter::Answer answer) {
        const auto asked = std::make_shared<Asked>();
        asked->answer = std::move(answer);
        metering::Meter* const meter = meter_;
        meter->reserve(*claim, [asked, meter, id = claim->id](metering::Verdict verdict) {
            if (!asked->answered.exchange(true)) return asked->answer(std::move(verdict));
            if (!verdict.refusal) meter->settle(id, {});
        });
        if (asked->answered) return;
        timer.expires_after(answer_time);
        timer.async_wait([asked](const boost::system::error_code& stopped) {
            if (stopped || asked->answered.exchange(true)) return;
            asked->answer({too_late()});
        });
    };
    co_return co_await await_callback<metering::Verdict>(ask);
}

// It is one request all the same: only its money is asked for again. What the rounds before it cost
// is still reserved as it was, so the budget holds whatever they turn out to have cost.
awaitable<Result<void>> Account::open_round(const router::Route* route) {
    std::string id = fmt::format("{}#{}", record_->completion_id, round_ids_.size() + 2);
    LimitNames names = limit_names(*route);
    // Who answers goes on.
    add_missing(limit_names(route->targets.front()), names);
    metering::Claim claim = make_claim(std::move(id), *route, names);
    std::erase_if(claim.holds, [](const metering::Hold& hold) {
        return hold.of != metering::Hold::Of::nano_usd;
    });
    if (claim.holds.empty()) co_return Result<void>{};
    metering::Verdict verdict = co_await reserve(&claim);
    if (verdict.refusal) {
        verdict.refusal->kind = ErrorKind::insufficient_balance;
        co_return fail(std::move(*verdict.refusal));
    }
    round_ids_.push_back(std::move(claim.id));
    co_return Result<void>{};
}

bool Account::limits_models() const {
    const metering::SharedLimits& limits = gateway_->access.limits;
    return !limits.model_budgets.empty() || !limits.model_limits.empty() ||
           (caller_->key && !caller_->key->model_limits.empty());
}

Account::LimitNames Account::limit_names(const std::string& own_name) const {
    LimitNames names;
    if (own_name.empty()) return names;
    const auto add = [&](const auto& limits) {
        for (const auto& [name, limit] : limits)
            if ((name == own_name ||
                 metering::is_version_of(own_name, gateway_->router.own_name_of(name))) &&
                !is_in(name, names))
                names.push_back(name);
    };
    if (caller_->key) add(caller_->key->model_limits);
    add(gateway_->access.limits.model_budgets);
    add(gateway_->access.limits.model_limits);
    return names;
}

// Of the model that is asked, and of the one it stands in for.
Account::LimitNames Account::limit_names(const router::Route& route) const {
    if (!limits_models()) return {};
    LimitNames names = limit_names(gateway_->router.own_name_of(route.name));
    add_missing(limit_names(route.rerouted_from), names);
    return names;
}

// Of the target itself, and of the models that led to it as a fallback.
Account::LimitNames Account::limit_names(const router::Target& target) const {
    if (!limits_models()) return {};
    LimitNames names = limit_names(target_name(*gateway_, target));
    for (const std::string& model : target.fallback_of)
        add_missing(limit_names(gateway_->router.own_name_of(model)), names);
    return names;
}

metering::ClaimFacts Account::facts(const router::Route& route) const {
    metering::ClaimFacts facts;
    facts.key = caller_->key.get();
    facts.model = route.name;
    facts.client_address = caller_->address;
    facts.endpoint = endpoint_;
    facts.input_tokens = input_tokens_;
    facts.output_tokens = output_tokens_;
    return facts;
}

metering::Claim Account::make_claim(std::string id, const router::Route& route,
                                    const LimitNames& names) {
    // The dearest of those who may answer.
    std::optional<metering::Price> price;
    std::optional<Money> dearest;
    for (const router::Target& target : route.targets) {
        const auto found = price_of(target_name(*gateway_, target));
        if (!found) continue;
        const Money cost = metering::most_expensive(input_tokens_, output_tokens_, *found);
        if (dearest && cost <= *dearest) continue;
        dearest = cost;
        price = found;
    }
    reserved_ = dearest;
    metering::ClaimFacts asked = facts(route);
    asked.also = names;
    asked.price = price ? &*price : nullptr;
    return metering::make_claim(std::move(id), asked, gateway_->access.limits, utc_now());
}

// What the request's own claim has already is not asked for again.
metering::Claim Account::claim_for(std::string id, const router::Target& target,
                                   const LimitNames& already) const {
    const std::string name = target_name(*gateway_, target);
    LimitNames names = limit_names(target);
    std::erase_if(names, [&](std::string_view one) { return is_in(one, already); });
    if (names.empty()) return {};
    const auto price = price_of(name);
    metering::ClaimFacts facts;
    facts.key = caller_->key.get();
    facts.input_tokens = input_tokens_;
    facts.output_tokens = output_tokens_;
    facts.price = price ? &*price : nullptr;
    facts.also = names;
    return metering::model_claim(std::move(id), facts, gateway_->access.limits, utc_now());
}

// Nobody knows what they cost, so no budget would hold.
Result<void> Account::leave_out_unpriced(const metering::Claim& claim, const LimitNames& names,
                                         router::Route* route) const {
    if (gateway_->access.limits.unpriced == metering::SharedLimits::Unpriced::allow) return {};
    const auto has_budget = [](const metering::Claim& one) {
        return std::ranges::find(one.holds, metering::Hold::Of::nano_usd, &metering::Hold::of) !=
               one.holds.end();
    };
    const bool all = has_budget(claim);
    if (!all && gateway_->access.limits.model_budgets.empty()) return {};
    std::string missing;
    std::erase_if(route->targets, [&](const router::Target& target) {
        const std::string name = target_name(*gateway_, target);
        if (!all && !has_budget(claim_for({}, target, names))) return false;
        if (is_free(gateway_->providers[target.provider]) || price_of(name)) return false;
        if (missing.empty()) missing = name;
        return true;
    });
    if (missing.empty()) return {};
    if (route->targets.empty())
        return fail_at(
            ErrorKind::model_not_allowed, "model",
            fmt::format("the model '{}' has no price, and this request is under a budget, which "
                        "could not count it; whoever runs the gateway can give it one under "
                        "`prices`, or let such models pass with `budget: {{unpriced: allow}}`",
                        missing));
    record_->warnings.emplace_back("unpriced_target_skipped");
    return {};
}

void Account::enter_in_journal(const router::Route& route) {
    if (journal_ == nullptr) return;
    const std::string target = target_name(*gateway_, route.targets.front());
    storage::Opening opening{.completion_id = record_->completion_id};
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
    opening.budget_model = budget_model_;
    opening.stream = record_->stream;
    ticket_ = journal_->open(opening);
}

std::optional<metering::Price> Account::price_of(std::string_view target) const {
    const std::size_t slash = target.find('/');
    const std::string_view provider = target.substr(0, slash);
    const auto slot = std::ranges::find(gateway_->providers, provider, &ProviderSlot::name);
    if (slot == gateway_->providers.end()) return std::nullopt;
    return gateway_->prices.find(provider, slot->kind, target.substr(slash + 1));
}

void Account::settle_unpaid() {
    constexpr metering::Settlement asked{metering::Settlement::Reached::provider};
    settle_targets({}, {});
    if (!claim_id_.empty()) meter_->settle(claim_id_, asked);
    claim_id_.clear();
}

void Account::settle() {
    if (record_->attempts.empty()) {
        settle_targets({}, {});
        if (!claim_id_.empty()) meter_->settle(claim_id_, {});
        claim_id_.clear();
        return;
    }
    if (!std::exchange(priced_, true)) {
        estimate_usage();
        price_usage();
    }
    for (const std::string& id : std::exchange(round_ids_, {})) meter_->settle(id, {});
    metering::Settlement settlement{metering::Settlement::Reached::provider};
    if (record_->usage) settlement.tokens = record_->usage->total();
    settlement.cost = record_->cost.value_or(Money{});
    settle_targets(answering_attempt().target, settlement);
    if (!claim_id_.empty()) meter_->settle(claim_id_, settlement);
    claim_id_.clear();
}

// What was used is used by whoever answered; who was only asked has had a request.
void Account::settle_targets(std::string_view answered_by, const metering::Settlement& settlement) {
    for (const TargetClaim& claim : std::exchange(targets_, {})) {
        metering::Settlement own = settlement;
        if (claim.target != answered_by) {
            const bool asked =
                std::ranges::find(record_->attempts, claim.target,
                                  &telemetry::AttemptRecord::target) != record_->attempts.end();
            using enum metering::Settlement::Reached;
            own = {asked ? provider : nobody};
        }
        meter_->settle(claim.id, own);
    }
}

const telemetry::AttemptRecord& Account::answering_attempt() const {
    const auto& attempts = record_->attempts;
    const auto answered = std::ranges::find_if(
        attempts, [](const telemetry::AttemptRecord& attempt) { return attempt.error.empty(); });
    return answered == attempts.end() ? attempts.back() : *answered;
}

// A provider that was cut short, or does not count, has read and written all the same; one that the
// client did not wait for has read.
void Account::estimate_usage() {
    using enum telemetry::RequestRecord::Provenance;
    if (record_->usage_provenance != none) return;
    if (record_->usage) {
        record_->usage_provenance = reported;
        return;
    }
    const bool was_left = std::ranges::any_of(record_->attempts, &telemetry::AttemptRecord::left);
    if (record_->answer_bytes == 0 && !was_left) return;
    record_->usage = estimate(record_->answer_bytes);
    record_->usage_provenance = estimated;
}

timeline::Usage Account::estimate(std::uint64_t uncounted_bytes) const {
    timeline::Usage usage = record_->usage.value_or(timeline::Usage{.fresh_input = input_tokens_});
    usage.output += metering::estimated_tokens(uncounted_bytes);
    return usage;
}

void Account::price_usage() {
    if (!record_->usage) {
        record_->cost = Money{};  // nobody charges for nothing
        return;
    }
    const auto price = price_of(answering_attempt().target);
    if (price) record_->cost_lines = metering::cost_of(*record_->usage, *price);
    for (const telemetry::ToolRecord& tool : record_->tools)
        if (const auto fee = gateway_->prices.tool_fee(tool.name))
            record_->cost_lines.push_back(metering::tool_fee(tool.name, 1, *fee));
    if (price) record_->cost = total_of(record_->cost_lines);
}

}  // namespace runnel::exchange
