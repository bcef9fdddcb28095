#include "exchange/attempts/attempts.hpp"

#include "base/limits.hpp"
#include "base/release.hpp"
#include "exchange/shutting_down.hpp"
#include "http/as_error.hpp"

#include <algorithm>
#include <utility>

namespace runnel::exchange {

namespace asio = boost::asio;
using asio::awaitable;
using http::Stop;
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

template <class Duration>
milliseconds in_ms(Duration time) {
    return std::chrono::duration_cast<milliseconds>(time);
}

// What is left of the request's own time-out, where it has one.
std::optional<RequestTime> time_left(const router::Policy& policy, const Attempts::Budget& budget) {
    if (!policy.timeout) return std::nullopt;
    return RequestTime{*policy.timeout,
                       *policy.timeout - in_ms(std::chrono::steady_clock::now() - budget.begun)};
}

router::AttemptPlan::Limits plan_limits(const router::Policy& policy,
                                        const Attempts::Budget& used) {
    const int retries = policy.retries.value_or(limits::retries) - used.retries;
    router::AttemptPlan::Limits limits{policy.strategy, std::max(retries, 0),
                                       limits::retry_window_time};
    if (const auto time = time_left(policy, used)) limits.timeout = time->left;
    return limits;
}

}  // namespace

Attempts::Attempts(Means means, Client client, chat::Request* request, const router::Route* route,
                   timeline::Sink* listener, Afterwards afterwards)
    : means_(std::move(means)),
      client_(client),
      reply_(client_.reply),
      record_(client_.record),
      request_(request),
      route_(route),
      listener_(listener),
      afterwards_(afterwards),
      policy_(policy_for(*means_.gateway, *route_, request_->gateway)),
      plan_(plan_targets(*means_.gateway, *route_), plan_limits(policy_, *client_.budget),
            means_.health, router::AttemptPlan::Random(means_.worker->random()), Clock::now()),
      may_hedge_(policy_.hedge_after && !client_.budget->hedged),
      client_set_time_(request_->gateway.timeout.has_value()) {
    const bool verified = policy_.midstream == router::Midstream::verified;
    if (verified && reply_->streams()) seen_.emplace();
}

Attempts::~Attempts() { client_.budget->retries += std::max(0, plan_.attempts() - 1); }

awaitable<Attempts::Outcome> Attempts::run() {
    Stop* stop = client_.transaction->stop;
    const Stop::Guard guard(stop, [this, stop] { stop_all(stop->reason()); });
    while (const auto planned = plan_next()) {
        if (planned->delay.count() > 0) co_await pause(planned->delay);
        if (stopped()) break;
        if (!plan_.begin(*planned, Clock::now())) continue;
        const Next next = co_await ask(*planned);
        if (next != Next::another)
            co_return next == Next::answered ? Outcome::answered : Outcome::failed;
    }
    co_return co_await end();
}

// After an answer broke off, a target that was not asked yet is the better one to continue it.
std::optional<router::Attempt> Attempts::plan_next() {
    if (stopped()) return std::nullopt;
    const auto now = Clock::now();
    if (broken_off_)
        if (auto other = plan_.hedge(now)) return other;
    return plan_.next(now);
}

awaitable<void> Attempts::pause(milliseconds time) {
    asio::steady_timer timer(means_.worker->executor(), time);
    pause_ = &timer;
    co_await timer.async_wait(as_error);
    pause_ = nullptr;
}

void Attempts::stop_all(Stop::Reason reason) {
    if (pause_ != nullptr) pause_->cancel();
    if (current_) current_->call.stop(reason);
    if (!race_) return;
    for (const auto& attempt : race_->running()) attempt->call.stop(reason);
    race_->wake();
}

awaitable<Attempts::Next> Attempts::ask(router::Attempt planned) {
    auto tickets = co_await enter(planned);
    if (!tickets) {
        plan_.failed(planned, tickets.error(), Clock::now());
        co_return Next::another;
    }
    if (stopped()) {
        plan_.given_up(planned, Clock::now());
        co_return Next::another;  // there is none, and that ends it
    }
    const bool alone = !may_hedge_ || broken_off_;
    current_ = open_attempt(planned, alone ? Alone::yes : Alone::no);
    if (current_) current_->tickets = std::move(*tickets);
    if (current_ && !alone) current_ = co_await race(std::exchange(current_, nullptr));
    if (!current_) co_return Next::another;
    co_await pump();
    co_return co_await conclude();
}

// A provider, or a model, may be asked by so many at a time. One that is full is waited for, for a
// short while, only if there is no other target.
awaitable<Result<Attempts::Tickets>> Attempts::enter(router::Attempt planned) {
    Tickets tickets;
    for (Admission* admission : admissions_of(planned)) {
        auto ticket = admission->try_enter();
        if (!ticket && !planned.last_chance)
            co_return fail(ErrorKind::overloaded, "the target has as many requests as it may have");
        if (!ticket) {
            auto entered = co_await admission->enter(client_.transaction->stop);
            if (!entered) co_return propagate(entered);
            ticket = std::move(*entered);
        }
        tickets.push_back(std::move(*ticket));
    }
    co_return tickets;
}

// The request has entered the model that it asks for; that of the target, and those that led to it
// as a fallback, are others.
std::vector<Admission*> Attempts::admissions_of(const router::Attempt& planned) const {
    const router::Target& target = route_->targets[planned.target];
    const std::string& provider = means_.gateway->providers[target.provider].name;
    std::vector<Admission*> admissions;
    const auto add = [&](Admission* admission) {
        if (admission != nullptr && std::ranges::find(admissions, admission) == admissions.end())
            admissions.push_back(admission);
    };
    add(means_.admissions->to_provider.find(provider));
    const AdmissionTable& models = means_.admissions->for_model;
    const auto add_model = [&](const std::string& name) {
        if (name != route_->name) add(models.find(name));
    };
    add_model(provider + '/' + target.model);
    for (const std::string& model : target.fallback_of) add_model(model);
    return admissions;
}

// Null where the target can't be asked this at all; the plan has been told.
std::shared_ptr<Attempt> Attempts::open_attempt(const router::Attempt& planned, Alone alone) {
    const router::Target& target = route_->targets[planned.target];
    const ProviderSlot& slot = means_.gateway->providers[target.provider];
    record_->provider = slot.name;
    record_->model_served = target.public_name;
    record_->attempts.push_back({slot.name + '/' + target.model, planned.key});
    record_->attempts.back().started = telemetry::age_of(*record_);
    if (record_->trace.is_told()) record_->attempts.back().peer = slot.peer;

    auto outgoing = slot.provider->write_request(*request_, target.model);
    if (!outgoing) {
        record_->attempts.back().error = name_of(outgoing.error().kind);
        plan_.failed(planned, outgoing.error(), Clock::now());
        return nullptr;
    }
    if (record_->trace.exists()) outgoing->headers.push_back({"traceparent", traceparent()});
    const router::Timeouts timeouts =
        route_->policy.timeouts.or_else(slot.timeouts).or_else(means_.gateway->policy.timeouts);
    const Deadlines deadlines =
        deadlines_for(timeouts, request_->streaming.value_or(chat::Streaming::no),
                      planned.last_chance ? Chance::last : Chance::others_follow,
                      time_left(policy_, *client_.budget));
    const auto reasoning = request_->reasoning.show == chat::ReasoningWish::Show::no
                               ? api::Envelope::Reasoning::hidden
                               : api::Envelope::Reasoning::shown;
    // In a race the gate stays shut until one attempt has won.
    AnswerGate::WhenSpoken when_spoken;
    if (alone == Alone::yes) when_spoken = [this] { return show(*current_); };
    if (broken_off_) continuation_.emplace(seen_->text(), static_cast<timeline::Sink*>(this));
    using Reuse = http::ConnectionPool::Reuse;
    const Reuse reuse =
        std::exchange(on_new_connection_, false) ? Reuse::forbidden : Reuse::allowed;
    auto attempt =
        std::make_shared<Attempt>(means_.gateway, means_.worker, means_.memory, planned,
                                  UpstreamCall::Question{&slot, slot.credentials[planned.key].get(),
                                                         std::move(*outgoing), deadlines, reuse},
                                  reasoning, std::move(when_spoken),
                                  alone == Alone::yes ? client_.transaction->watchdog : nullptr);
    attempt->number = record_->attempts.size() - 1;
    return attempt;
}

// What the attempt that begins says of itself.
std::string Attempts::traceparent() const {
    const telemetry::TraceContext& trace = record_->trace;
    return trace.traceparent_of(telemetry::attempt_span(trace, record_->attempts.size() - 1));
}

// Waits until the first attempt has something to tell, with a second one beside it if that takes
// too long. The winner comes back; null when all have failed.
awaitable<std::shared_ptr<Attempt>> Attempts::race(std::shared_ptr<Attempt> first) {
    race_.emplace(&means_.worker->tasks);
    race_->enter(std::move(first));
    co_await race_->wait(*policy_.hedge_after);
    std::shared_ptr<Attempt> arrived = race_->take_arrived();
    if (!arrived && !stopped()) start_hedge();
    while (arrived || !race_->running().empty()) {
        if (!arrived) {
            co_await race_->wait(std::nullopt);
            arrived = race_->take_arrived();
            continue;
        }
        const auto attempt = std::exchange(arrived, race_->take_arrived());
        if (stopped()) {
            settle_given_up(*attempt, "stopped");
        } else if (const auto& failure = attempt->gate.failure();
                   failure && !attempt->gate.spoke()) {
            settle_failed(*attempt, *failure);
        } else if (attempt->gate.is_empty()) {
            settle_silent(attempt);
        } else {
            for (const auto& loser : race_->running()) settle_given_up(*loser, "outpaced");
            race_.reset();
            current_ = attempt;
            attempt->gate.open(show(*attempt));
            co_return attempt;
        }
    }
    race_.reset();
    co_return nullptr;
}

void Attempts::start_hedge() {
    may_hedge_ = false;
    client_.budget->hedged = true;
    const auto planned = plan_.hedge(Clock::now());
    if (!planned || !plan_.begin(*planned, Clock::now())) return;
    Tickets tickets;
    for (Admission* admission : admissions_of(*planned)) {
        auto ticket = admission->try_enter();
        if (!ticket) return plan_.given_up(*planned, Clock::now());
        tickets.push_back(std::move(*ticket));
    }
    auto attempt = open_attempt(*planned, Alone::no);
    if (!attempt) return;
    attempt->tickets = std::move(tickets);
    record_of(*attempt).hedge = true;
    race_->enter(std::move(attempt));
}

awaitable<void> Attempts::pump() {
    for (;;) {
        reply_->settle();
        if (reply_->is_cut()) co_return;
        // The last piece goes out together with the end of the response.
        if (current_->call.ended()) co_return;
        if (reply_->has_output()) {
            note_trimmed_calls();
            if (!reply_->flush()) co_await flush();
            if (reply_->client_is_gone()) co_return;
            if (!seen_ && afterwards_ == Afterwards::forget) forget_request();
        }
        co_await current_->call.advance();
        count_memory();
        if (too_much_) co_return;
        if (continuation_ && continuation_->differs()) co_return;
    }
}

void Attempts::count_memory() {
    current_->count_memory();
    const std::size_t seen = seen_ ? seen_->text().size() : 0;
    if (auto fits = reply_->hold(listener_->held_bytes() + seen); !fits)
        too_much_ = std::move(fits.error());
}

// Not all calls that the model made could be shown; told in a header while there is time for one.
void Attempts::note_trimmed_calls() {
    constexpr std::string_view warning = "parallel_calls_trimmed";
    auto& warnings = record_->warnings;
    if (current_->call.turn().trimmed_calls() &&
        std::ranges::find(warnings, warning) == warnings.end())
        warnings.emplace_back(warning);
}

awaitable<void> Attempts::flush() {
    current_->call.pause_watch();
    co_await reply_->wait_for_client();
    current_->call.restart_watch();
}

// The client has seen a part of this answer, so no other target will be asked.
void Attempts::forget_request() {
    if (!request_->body) return;
    release(*request_);
    current_->call.forget_question();
    release(client_.transaction->request.headers);
}

awaitable<Attempts::Next> Attempts::conclude() {
    note_trimmed_calls();
    auto attempt = std::exchange(current_, nullptr);
    const auto& failure = attempt->gate.failure();
    record_of(*attempt).total = in_ms(Clock::now() - attempt->begun);
    record_->malformed_frames += attempt->call.turn().malformed_count();
    if (reply_->client_is_gone()) {
        settle_given_up(*attempt, "client_closed");
        co_return Next::failed;
    }
    if (reply_->is_cut()) co_return Next::answered;  // as far as it may be shown
    if (too_much_ || (attempt->too_much && !stopped())) {
        // Another target's answer would be kept here too.
        const Error error = too_much_ ? *too_much_ : *failure;
        settle_failed(*attempt, error);
        attempt.reset();
        reply_->let_go();
        co_await reply_->fail(error);
        co_return Next::failed;
    }
    if (failure) {
        settle_failed(*attempt, *failure);
        if (stopped()) co_return Next::another;  // there is none, and that ends it
    }
    const bool another_answer =
        continuation_ && (continuation_->differs() || (!failure && !continuation_->caught_up()));
    if (another_answer) {
        record_->continuation = "differs";
        co_await reply_->fail(*broken_off_);
        co_return Next::failed;
    }
    if (!failure && !attempt->gate.is_empty()) {
        if (continuation_) record_->continuation = "verified";
        co_return Next::answered;
    }
    if (!failure) {
        settle_silent(attempt);
        co_return Next::another;
    }
    if (!has_shown()) {
        reply_->drop_answer();
        if (seen_) seen_.emplace();
    }
    if (!has_shown() || !attempt->gate.spoke()) co_return Next::another;
    if (!may_continue(*failure)) {
        co_await reply_->fail(broken_off_ ? *broken_off_ : *failure);
        co_return Next::failed;
    }
    if (!broken_off_) broken_off_ = *failure;
    if (reply_->has_output() && !reply_->flush()) co_await reply_->wait_for_client();
    co_return Next::another;
}

// No target is left, or none may be asked any more.
awaitable<Attempts::Outcome> Attempts::end() {
    const Stop::Reason reason = client_.transaction->stop->reason();
    if (reason == Stop::Reason::shutdown) {
        co_await reply_->fail(shutting_down());
    } else if (silent_ && !broken_off_) {
        silent_->gate.open(show(*silent_));
        co_return Outcome::answered;
    } else {
        co_await reply_->fail(broken_off_ ? *broken_off_ : plan_.last_error());
    }
    co_return Outcome::failed;
}

// What the client has seen binds the answer to the target that said it.
bool Attempts::has_shown() const {
    return policy_.failover_scope == router::FailoverScope::round ? reply_->has_shown_of_round()
                                                                  : reply_->has_shown();
}

bool Attempts::may_continue(const Error& error) const {
    return seen_ && seen_->can_go_on() && retryable(error.kind);
}

// This attempt answers; what it says goes where the result points.
timeline::Sink* Attempts::show(Attempt& attempt) {
    const auto first_token = in_ms(Clock::now() - attempt.begun);
    record_of(attempt).first_token = first_token;
    plan_.succeeded(attempt.planned, first_token, Clock::now());
    served_by_ = attempt.planned.target;
    if (continuation_) {
        record_->continued_by = record_of(attempt).target;
        return &*continuation_;
    }
    const router::Target& target = route_->targets[attempt.planned.target];
    const ProviderSlot& slot = means_.gateway->providers[target.provider];
    record_->provider = slot.name;
    record_->model_served = target.public_name;
    const auto& warnings = attempt.call.warnings();
    record_->warnings.insert(record_->warnings.end(), warnings.begin(), warnings.end());
    state_owner_ = slot.kind + '/' + target.model;
    const bool echo = request_->gateway.echo_model == chat::Wish::yes && !request_->model.empty();
    if (!reply_->has_shown()) reply_->begin(echo ? request_->model : target.public_name);
    return this;
}

void Attempts::on(const timeline::Event& event) {
    if (seen_) seen_->on(event);
    if (const auto* state = std::get_if<timeline::ProviderState>(&event))
        client_.conversation->keep_state(state->call_id, {state_owner_, std::string(state->raw)});
    listener_->on(event);
}

telemetry::AttemptRecord& Attempts::record_of(const Attempt& attempt) {
    return record_->attempts[attempt.number];
}

void Attempts::settle_failed(Attempt& attempt, const Error& error) {
    telemetry::AttemptRecord& record = record_of(attempt);
    record.error = name_of(error.kind);
    record.detail = error.detail.empty() ? error.message : error.detail;
    record.total = in_ms(Clock::now() - attempt.begun);
    if (attempt.call.was_stale()) {
        on_new_connection_ = true;
        plan_.stale_connection(attempt.planned, error, Clock::now());
    } else if (client_set_time_ && attempt.call.outlasted_request()) {
        record.left = attempt.call.was_asked();
        plan_.not_waited_for(attempt.planned, error, Clock::now());
    } else {
        plan_.failed(attempt.planned, error, Clock::now());
    }
}

// Another target may say more; if none does, an empty answer is still an answer.
void Attempts::settle_silent(const std::shared_ptr<Attempt>& attempt) {
    settle_failed(*attempt, {ErrorKind::upstream_empty, "the provider answered with nothing"});
    if (!silent_) silent_ = attempt;
}

void Attempts::settle_given_up(Attempt& attempt, std::string_view why) {
    record_of(attempt).error = why;
    record_of(attempt).left = reply_->client_is_gone() && attempt.call.was_asked();
    record_of(attempt).total = in_ms(Clock::now() - attempt.begun);
    plan_.given_up(attempt.planned, Clock::now());
}

}  // namespace runnel::exchange
