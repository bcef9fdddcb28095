#include "exchange/attempts.hpp"

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
        targets.push_back({slot.name + '/' + target.model, slot.by_key.size(), target.weight,
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

Attempts::Attempts(Setting setting, chat::Request* request, const router::Route* route,
                   timeline::Sink* listener, Afterwards afterwards)
    : setting_(std::move(setting)),
      reply_(setting_.reply),
      record_(setting_.record),
      request_(request),
      route_(route),
      listener_(listener),
      afterwards_(afterwards),
      policy_(policy_for(*setting_.gateway, *route_, request_->gateway)),
      plan_(plan_targets(*setting_.gateway, *route_), plan_limits(policy_, *setting_.budget),
            &setting_.shared->health, router::AttemptPlan::Random(setting_.worker->random()),
            Clock::now()),
      may_hedge_(policy_.hedge_after && !setting_.budget->hedged),
      client_set_time_(request_->gateway.timeout.has_value()) {
    const bool verified = policy_.midstream == router::Midstream::verified;
    if (verified && reply_->streams()) seen_.emplace();
}

Attempts::~Attempts() { setting_.budget->retries += std::max(0, plan_.attempts() - 1); }

awaitable<Attempts::Outcome> Attempts::run() {
    Stop* stop = setting_.transaction->stop;
    const Stop::Guard guard(stop, [this, stop] { stop_all(stop->reason()); });
    while (const auto planned = plan_next()) {
        if (planned->delay.count() > 0) co_await pause(planned->delay);
        if (stopped()) break;
        if (!plan_.begin(*planned, Clock::now())) continue;
        const Next next = co_await attempt(*planned);
        if (next != Next::another)
            co_return next == Next::answered ? Outcome::answered : Outcome::failed;
    }
    co_return co_await end();
}

// After an answer broke off, somebody who was not asked yet is the better one to go on with it.
std::optional<router::Attempt> Attempts::plan_next() {
    if (stopped()) return std::nullopt;
    const auto now = Clock::now();
    if (broken_off_)
        if (auto other = plan_.hedge(now)) return other;
    return plan_.next(now);
}

awaitable<void> Attempts::pause(milliseconds time) {
    asio::steady_timer timer(setting_.worker->executor(), time);
    pause_ = &timer;
    co_await timer.async_wait(as_error);
    pause_ = nullptr;
}

void Attempts::stop_all(Stop::Reason reason) {
    if (pause_ != nullptr) pause_->cancel();
    if (lane_) lane_->call.stop(reason);
    if (!race_) return;
    for (const auto& lane : race_->running()) lane->call.stop(reason);
    race_->wake();
}

awaitable<Attempts::Next> Attempts::attempt(router::Attempt planned) {
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
    lane_ = open_lane(planned, alone ? Alone::yes : Alone::no);
    if (lane_) lane_->tickets = std::move(*tickets);
    if (lane_ && !alone) lane_ = co_await race(std::exchange(lane_, nullptr));
    if (!lane_) co_return Next::another;
    co_await pump();
    co_return co_await conclude();
}

// A provider, or a model, may be asked by so many at a time. One that is full is waited for, for a
// short while, only if there is nobody else.
awaitable<Result<Attempts::Tickets>> Attempts::enter(router::Attempt planned) {
    Tickets tickets;
    for (Admission* admission : admissions_of(planned)) {
        auto ticket = admission->try_enter();
        if (!ticket && !planned.last_chance)
            co_return fail(ErrorKind::overloaded, "the target has as many requests as it may have");
        if (!ticket) {
            auto entered = co_await admission->enter(setting_.transaction->stop);
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
    const std::string& provider = setting_.gateway->providers[target.provider].name;
    std::vector<Admission*> admissions;
    const auto add = [&](Admission* admission) {
        if (admission != nullptr && std::ranges::find(admissions, admission) == admissions.end())
            admissions.push_back(admission);
    };
    add(setting_.shared->to_provider.find(provider));
    const AdmissionTable& models = setting_.shared->for_model;
    const auto add_model = [&](const std::string& name) {
        if (name != route_->name) add(models.find(name));
    };
    add_model(provider + '/' + target.model);
    for (const std::string& model : target.fallback_of) add_model(model);
    return admissions;
}

// Null where the target can't be asked this at all; the plan has been told.
std::shared_ptr<Lane> Attempts::open_lane(const router::Attempt& planned, Alone alone) {
    const router::Target& target = route_->targets[planned.target];
    const ProviderSlot& slot = setting_.gateway->providers[target.provider];
    const provider::Provider* provider = slot.by_key[planned.key].get();
    record_->provider = slot.name;
    record_->model_served = target.public_name;
    record_->attempts.push_back({slot.name + '/' + target.model, planned.key});
    record_->attempts.back().started = telemetry::age_of(*record_);
    if (record_->trace.is_told()) record_->attempts.back().peer = slot.peer;

    auto outgoing = provider->write_request(*request_, target.model);
    if (!outgoing) {
        record_->attempts.back().error = name_of(outgoing.error().kind);
        plan_.failed(planned, outgoing.error(), Clock::now());
        return nullptr;
    }
    if (record_->trace.exists()) outgoing->headers.push_back({"traceparent", traceparent()});
    const router::Timeouts timeouts =
        route_->policy.timeouts.or_else(slot.timeouts).or_else(setting_.gateway->policy.timeouts);
    const Deadlines deadlines =
        deadlines_for(timeouts, request_->streaming.value_or(chat::Streaming::no),
                      planned.last_chance ? Chance::last : Chance::others_follow,
                      time_left(policy_, *setting_.budget));
    const auto reasoning = request_->reasoning.show == chat::ReasoningWish::Show::no
                               ? api::Envelope::Reasoning::hidden
                               : api::Envelope::Reasoning::shown;
    // In a race the gate stays shut until somebody has won.
    AnswerGate::WhenSpoken when_spoken;
    if (alone == Alone::yes) when_spoken = [this] { return show(*lane_); };
    if (broken_off_) continuation_.emplace(seen_->text(), static_cast<timeline::Sink*>(this));
    using Reuse = http::ConnectionPool::Reuse;
    const Reuse reuse =
        std::exchange(on_new_connection_, false) ? Reuse::forbidden : Reuse::allowed;
    auto lane = std::make_shared<Lane>(
        setting_.gateway, setting_.worker, &setting_.shared->memory, planned,
        UpstreamCall::Question{&slot, provider, std::move(*outgoing), deadlines, reuse}, reasoning,
        std::move(when_spoken), alone == Alone::yes ? setting_.transaction->watchdog : nullptr);
    lane->number = record_->attempts.size() - 1;
    return lane;
}

// What the attempt that begins says of itself.
std::string Attempts::traceparent() const {
    const telemetry::TraceContext& trace = record_->trace;
    return trace.traceparent_of(telemetry::attempt_span(trace, record_->attempts.size() - 1));
}

// Waits until the first lane has something to tell, with a second one beside it if that takes too
// long. The winner comes back; null when all have failed.
awaitable<std::shared_ptr<Lane>> Attempts::race(std::shared_ptr<Lane> first) {
    race_.emplace(setting_.worker);
    race_->enter(std::move(first));
    co_await race_->wait(*policy_.hedge_after);
    std::shared_ptr<Lane> arrived = race_->take_arrived();
    if (!arrived && !stopped()) start_hedge();
    while (arrived || !race_->running().empty()) {
        if (!arrived) {
            co_await race_->wait(std::nullopt);
            arrived = race_->take_arrived();
            continue;
        }
        const auto lane = std::exchange(arrived, race_->take_arrived());
        if (stopped()) {
            settle_given_up(*lane, "stopped");
        } else if (const auto& failure = lane->gate.failure(); failure && !lane->gate.spoke()) {
            settle_failed(*lane, *failure);
        } else if (lane->gate.is_empty()) {
            settle_silent(lane);
        } else {
            for (const auto& loser : race_->running()) settle_given_up(*loser, "outpaced");
            race_.reset();
            lane_ = lane;
            lane->gate.open(show(*lane));
            co_return lane;
        }
    }
    race_.reset();
    co_return nullptr;
}

void Attempts::start_hedge() {
    may_hedge_ = false;
    setting_.budget->hedged = true;
    const auto planned = plan_.hedge(Clock::now());
    if (!planned || !plan_.begin(*planned, Clock::now())) return;
    Tickets tickets;
    for (Admission* admission : admissions_of(*planned)) {
        auto ticket = admission->try_enter();
        if (!ticket) return plan_.given_up(*planned, Clock::now());
        tickets.push_back(std::move(*ticket));
    }
    auto lane = open_lane(*planned, Alone::no);
    if (!lane) return;
    lane->tickets = std::move(tickets);
    record_of(*lane).hedge = true;
    race_->enter(std::move(lane));
}

awaitable<void> Attempts::pump() {
    for (;;) {
        reply_->settle();
        if (reply_->is_cut()) co_return;
        // The last piece goes out together with the end of the response.
        if (lane_->call.ended()) co_return;
        if (reply_->has_output()) {
            note_trimmed_calls();
            if (!reply_->flush()) co_await flush();
            if (reply_->client_is_gone()) co_return;
            if (!seen_ && afterwards_ == Afterwards::forget) forget_request();
        }
        co_await lane_->call.advance();
        count_memory();
        if (too_much_) co_return;
        if (continuation_ && continuation_->differs()) co_return;
    }
}

void Attempts::count_memory() {
    lane_->count_memory();
    const std::size_t seen = seen_ ? seen_->text().size() : 0;
    if (auto fits = reply_->hold(listener_->held_bytes() + seen); !fits)
        too_much_ = std::move(fits.error());
}

// Not all calls that the model made could be shown; told in a header while there is time for one.
void Attempts::note_trimmed_calls() {
    constexpr std::string_view warning = "parallel_calls_trimmed";
    auto& warnings = record_->warnings;
    if (lane_->call.turn().trimmed_calls() &&
        std::ranges::find(warnings, warning) == warnings.end())
        warnings.emplace_back(warning);
}

awaitable<void> Attempts::flush() {
    lane_->call.pause_watch();
    co_await reply_->wait_for_client();
    lane_->call.restart_watch();
}

// The client has seen a part of this answer, so nobody else will be asked.
void Attempts::forget_request() {
    if (!request_->body) return;
    release(*request_);
    lane_->call.forget_question();
    release(setting_.transaction->request.headers);
}

awaitable<Attempts::Next> Attempts::conclude() {
    note_trimmed_calls();
    auto lane = std::exchange(lane_, nullptr);
    const auto& failure = lane->gate.failure();
    record_of(*lane).total = in_ms(Clock::now() - lane->begun);
    record_->malformed_frames += lane->call.turn().malformed_count();
    if (reply_->client_is_gone()) {
        settle_given_up(*lane, "client_closed");
        co_return Next::failed;
    }
    if (reply_->is_cut()) co_return Next::answered;  // as far as it may be shown
    if (too_much_ || (lane->too_much && !stopped())) {
        // Whoever else is asked would be answering here too.
        const Error error = too_much_ ? *too_much_ : *failure;
        settle_failed(*lane, error);
        lane.reset();
        reply_->let_go();
        co_await reply_->fail(error);
        co_return Next::failed;
    }
    if (failure) {
        settle_failed(*lane, *failure);
        if (stopped()) co_return Next::another;  // there is none, and that ends it
    }
    const bool another_answer =
        continuation_ && (continuation_->differs() || (!failure && !continuation_->caught_up()));
    if (another_answer) {
        record_->continuation = "differs";
        co_await reply_->fail(*broken_off_);
        co_return Next::failed;
    }
    if (!failure && !lane->gate.is_empty()) {
        if (continuation_) record_->continuation = "verified";
        co_return Next::answered;
    }
    if (!failure) {
        settle_silent(lane);
        co_return Next::another;
    }
    if (!has_shown()) {
        reply_->drop_answer();
        if (seen_) seen_.emplace();
    }
    if (!has_shown() || !lane->gate.spoke()) co_return Next::another;
    if (!may_continue(*failure)) {
        co_await reply_->fail(broken_off_ ? *broken_off_ : *failure);
        co_return Next::failed;
    }
    if (!broken_off_) broken_off_ = *failure;
    if (reply_->has_output() && !reply_->flush()) co_await reply_->wait_for_client();
    co_return Next::another;
}

// Nobody is left to ask, or nobody may be asked any more.
awaitable<Attempts::Outcome> Attempts::end() {
    const Stop::Reason reason = setting_.transaction->stop->reason();
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

// What the client has seen is somebody's, who must go on with it.
bool Attempts::has_shown() const {
    return policy_.failover_scope == router::FailoverScope::round ? reply_->has_shown_of_round()
                                                                  : reply_->has_shown();
}

bool Attempts::may_continue(const Error& error) const {
    return seen_ && seen_->can_go_on() && retryable(error.kind);
}

// This lane answers; what it says goes where the result points.
timeline::Sink* Attempts::show(Lane& lane) {
    const auto first_token = in_ms(Clock::now() - lane.begun);
    record_of(lane).first_token = first_token;
    plan_.succeeded(lane.attempt, first_token, Clock::now());
    served_by_ = lane.attempt.target;
    if (continuation_) {
        record_->continued_by = record_of(lane).target;
        return &*continuation_;
    }
    const router::Target& target = route_->targets[lane.attempt.target];
    const ProviderSlot& slot = setting_.gateway->providers[target.provider];
    record_->provider = slot.name;
    record_->model_served = target.public_name;
    const auto& warnings = lane.call.warnings();
    record_->warnings.insert(record_->warnings.end(), warnings.begin(), warnings.end());
    state_owner_ = slot.kind + '/' + target.model;
    const bool echo = request_->gateway.echo_model == chat::Wish::yes && !request_->model.empty();
    if (!reply_->has_shown()) reply_->begin(echo ? request_->model : target.public_name);
    return this;
}

void Attempts::on(const timeline::Event& event) {
    if (seen_) seen_->on(event);
    if (const auto* state = std::get_if<timeline::ProviderState>(&event))
        setting_.shared->continuity.remember(setting_.places->next(), state->call_id,
                                             {state_owner_, std::string(state->raw)}, Clock::now());
    listener_->on(event);
}

telemetry::AttemptRecord& Attempts::record_of(const Lane& lane) {
    return record_->attempts[lane.number];
}

void Attempts::settle_failed(Lane& lane, const Error& error) {
    telemetry::AttemptRecord& record = record_of(lane);
    record.error = name_of(error.kind);
    record.detail = error.detail.empty() ? error.message : error.detail;
    record.total = in_ms(Clock::now() - lane.begun);
    if (lane.call.was_unheard()) {
        on_new_connection_ = true;
        plan_.unheard(lane.attempt, error, Clock::now());
    } else if (client_set_time_ && lane.call.outlasted_request()) {
        record.left = lane.call.was_asked();
        plan_.not_waited_for(lane.attempt, error, Clock::now());
    } else {
        plan_.failed(lane.attempt, error, Clock::now());
    }
}

// Somebody else may have more to say; if nobody has, nothing is still an answer.
void Attempts::settle_silent(const std::shared_ptr<Lane>& lane) {
    settle_failed(*lane, {ErrorKind::upstream_empty, "the provider answered with nothing"});
    if (!silent_) silent_ = lane;
}

void Attempts::settle_given_up(Lane& lane, std::string_view why) {
    record_of(lane).error = why;
    record_of(lane).left = reply_->client_is_gone() && lane.call.was_asked();
    record_of(lane).total = in_ms(Clock::now() - lane.begun);
    plan_.given_up(lane.attempt, Clock::now());
}

}  // namespace runnel::exchange
