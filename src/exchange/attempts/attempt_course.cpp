#include "exchange/attempts/attempt_course.hpp"

#include "base/limits.hpp"
#include "http/as_error.hpp"

#include <algorithm>
#include <utility>

namespace runnel::exchange {

namespace asio = boost::asio;
using asio::awaitable;
using std::chrono::milliseconds;

namespace {

std::vector<router::AttemptPlan::Target> plan_targets(const Gateway& gateway,
                                                      const router::Route& route) {
    std::vector<router::AttemptPlan::Target> targets;
    targets.reserve(route.targets.size());
    for (const router::Target& target : route.targets) {
        const ProviderSlot& slot = gateway.providers[target.provider];
        targets.push_back({slot.name + '/' + target.model, slot.credentials.size(), target.weight,
                           target.facts.context_length});
    }
    return targets;
}

// The more special word counts: the request's, the model's, the provider's, everybody's.
router::Policy policy_for(const Gateway& gateway, const router::Route& route,
                          const chat::GatewayWishes& wishes) {
    router::Policy said{.strategy = route.policy.strategy};
    said.retries = wishes.retries;
    said.timeout = wishes.timeout;
    router::Policy providers;
    providers.retries = gateway.providers[route.targets.front().provider].retries;
    return said.or_else(route.policy).or_else(providers).or_else(gateway.policy);
}

// What is left of the request's own time-out, where it has one.
std::optional<RequestTime> time_left(const router::Policy& policy,
                                     const AttemptCourse::Budget& budget) {
    if (!policy.timeout) return std::nullopt;
    return RequestTime{*policy.timeout,
                       *policy.timeout - in_ms(std::chrono::steady_clock::now() - budget.begun)};
}

router::AttemptPlan::Limits plan_limits(const router::Policy& policy,
                                        const AttemptCourse::Budget& used) {
    const int retries = policy.retries.value_or(limits::retries) - used.retries;
    router::AttemptPlan::Limits limits{policy.strategy, std::max(retries, 0),
                                       limits::retry_window_time};
    if (const auto time = time_left(policy, used)) limits.timeout = time->left;
    return limits;
}

}  // namespace

AttemptCourse::AttemptCourse(const Means* means, Asker asker)
    : means_(means),
      asker_(asker),
      policy_(policy_for(*means_->gateway, *asker_.route, *asker_.wishes)),
      plan_(plan_targets(*means_->gateway, *asker_.route), plan_limits(policy_, *asker_.budget),
            means_->health, router::AttemptPlan::Random(means_->worker->random()), Clock::now()),
      client_set_time_(asker_.wishes->timeout.has_value()) {}

AttemptCourse::~AttemptCourse() { asker_.budget->retries += std::max(0, plan_.attempts() - 1); }

awaitable<void> AttemptCourse::pause(milliseconds time) {
    asio::steady_timer timer(means_->worker->executor(), time);
    pause_ = &timer;
    co_await timer.async_wait(as_error);
    pause_ = nullptr;
}

void AttemptCourse::end_pause() {
    if (pause_ != nullptr) pause_->cancel();
}

awaitable<Result<AttemptCourse::Tickets>> AttemptCourse::enter(router::Attempt planned) {
    Tickets tickets;
    for (Admission* admission : admissions_of(planned)) {
        auto ticket = admission->try_enter();
        if (!ticket && !planned.last_chance)
            co_return fail(ErrorKind::overloaded, "the target has as many requests as it may have");
        if (!ticket) {
            auto entered = co_await admission->enter(asker_.transaction->stop);
            if (!entered) co_return propagate(entered);
            ticket = std::move(*entered);
        }
        tickets.push_back(std::move(*ticket));
    }
    co_return tickets;
}

std::optional<AttemptCourse::Tickets> AttemptCourse::try_enter(const router::Attempt& planned) {
    Tickets tickets;
    for (Admission* admission : admissions_of(planned)) {
        auto ticket = admission->try_enter();
        if (!ticket) return std::nullopt;
        tickets.push_back(std::move(*ticket));
    }
    return tickets;
}

// The request has entered the model that it asks for; that of the target, and those that led to it
// as a fallback, are others.
std::vector<Admission*> AttemptCourse::admissions_of(const router::Attempt& planned) const {
    const router::Target& target = target_of(planned);
    const std::string& provider = slot_of(planned).name;
    std::vector<Admission*> admissions;
    const auto add = [&](Admission* admission) {
        if (admission != nullptr && std::ranges::find(admissions, admission) == admissions.end())
            admissions.push_back(admission);
    };
    add(means_->admissions->to_provider.find(provider));
    const AdmissionTable& models = means_->admissions->for_model;
    const auto add_model = [&](const std::string& name) {
        if (name != asker_.route->name) add(models.find(name));
    };
    add_model(provider + '/' + target.model);
    for (const std::string& model : target.fallback_of) add_model(model);
    return admissions;
}

std::size_t AttemptCourse::begin(const router::Attempt& planned) {
    const router::Target& target = target_of(planned);
    const ProviderSlot& slot = slot_of(planned);
    telemetry::RequestRecord& record = *asker_.record;
    record.provider = slot.name;
    record.model_served = target.public_name;
    record.attempts.push_back({slot.name + '/' + target.model, planned.key});
    record.attempts.back().started = telemetry::age_of(record);
    if (record.trace.is_told()) record.attempts.back().peer = slot.peer;
    return record.attempts.size() - 1;
}

UpstreamCall::Question AttemptCourse::question(const router::Attempt& planned,
                                               provider::Outgoing outgoing,
                                               chat::Streaming streaming) {
    const ProviderSlot& slot = slot_of(planned);
    if (asker_.record->trace.exists())
        outgoing.headers.push_back(
            {"traceparent", traceparent(asker_.record->attempts.size() - 1)});
    const router::Timeouts timeouts = asker_.route->policy.timeouts.or_else(slot.timeouts)
                                          .or_else(means_->gateway->policy.timeouts);
    const Deadlines deadlines = deadlines_for(
        timeouts, streaming, planned.last_chance ? Chance::last : Chance::others_follow,
        time_left(policy_, *asker_.budget));
    using Reuse = http::ConnectionPool::Reuse;
    const Reuse reuse =
        std::exchange(on_new_connection_, false) ? Reuse::forbidden : Reuse::allowed;
    return {&slot, slot.credentials[planned.key].get(), std::move(outgoing), deadlines, reuse};
}

// What the attempt that begins says of itself.
std::string AttemptCourse::traceparent(std::size_t number) const {
    const telemetry::TraceContext& trace = asker_.record->trace;
    return trace.traceparent_of(telemetry::attempt_span(trace, number));
}

void AttemptCourse::failed(const Ended& attempt, const Error& error) {
    telemetry::AttemptRecord& record = record_of(attempt.number);
    record.error = name_of(error.kind);
    record.detail = error.detail.empty() ? error.message : error.detail;
    record.total = in_ms(Clock::now() - attempt.begun);
    if (attempt.call->was_stale()) {
        on_new_connection_ = true;
        plan_.stale_connection(*attempt.planned, error, Clock::now());
    } else if (client_set_time_ && attempt.call->outlasted_request()) {
        record.left = attempt.call->was_asked();
        plan_.not_waited_for(*attempt.planned, error, Clock::now());
    } else {
        plan_.failed(*attempt.planned, error, Clock::now());
    }
}

void AttemptCourse::given_up(const Ended& attempt, std::string_view why) {
    telemetry::AttemptRecord& record = record_of(attempt.number);
    record.error = why;
    record.left = client_is_gone() && attempt.call->was_asked();
    record.total = in_ms(Clock::now() - attempt.begun);
    plan_.given_up(*attempt.planned, Clock::now());
}

void AttemptCourse::unaskable(const router::Attempt& planned, std::size_t number,
                              const Error& error) {
    record_of(number).error = name_of(error.kind);
    plan_.failed(planned, error, Clock::now());
}

bool AttemptCourse::client_is_gone() const {
    return asker_.transaction->responder->error() ||
           asker_.transaction->stop->reason() == http::Stop::Reason::client_gone;
}

}  // namespace runnel::exchange
