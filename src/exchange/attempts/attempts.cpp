#include "exchange/attempts/attempts.hpp"

#include "base/release.hpp"
#include "exchange/shutting_down.hpp"

#include <algorithm>
#include <utility>

namespace runnel::exchange {

using boost::asio::awaitable;
using http::Stop;

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
      course_(&means_,
              {client_.transaction, client_.record, route_, &request_->gateway, client_.budget}),
      policy_(course_.policy()),
      plan_(course_.plan()),
      may_hedge_(policy_.hedge_after && !client_.budget->hedged) {
    const bool verified = policy_.midstream == router::Midstream::verified;
    if (verified && reply_->streams()) seen_.emplace();
}

Attempts::~Attempts() = default;

awaitable<Attempts::Outcome> Attempts::run() {
    Stop* stop = client_.transaction->stop;
    const Stop::Guard guard(stop, [this, stop] { stop_all(stop->reason()); });
    while (const auto planned = plan_next()) {
        if (planned->delay.count() > 0) co_await course_.pause(planned->delay);
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

void Attempts::stop_all(Stop::Reason reason) {
    course_.end_pause();
    if (current_) current_->call.stop(reason);
    if (!race_) return;
    for (const auto& attempt : race_->running()) attempt->call.stop(reason);
    race_->wake();
}

awaitable<Attempts::Next> Attempts::ask(router::Attempt planned) {
    auto tickets = co_await course_.enter(planned);
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

// Null where the target can't be asked this at all; the plan has been told.
std::shared_ptr<Attempt> Attempts::open_attempt(const router::Attempt& planned, Alone alone) {
    const std::size_t number = course_.begin(planned);
    auto outgoing = course_.slot_of(planned).provider->write_request(
        *request_, course_.target_of(planned).model);
    if (!outgoing) {
        course_.unaskable(planned, number, outgoing.error());
        return nullptr;
    }
    const auto reasoning = request_->reasoning.show == chat::ReasoningWish::Show::no
                               ? api::Envelope::Reasoning::hidden
                               : api::Envelope::Reasoning::shown;
    // In a race the gate stays shut until one attempt has won.
    AnswerGate::WhenSpoken when_spoken;
    if (alone == Alone::yes) when_spoken = [this] { return show(*current_); };
    if (broken_off_) continuation_.emplace(seen_->text(), static_cast<timeline::Sink*>(this));
    auto attempt = std::make_shared<Attempt>(
        means_.gateway, means_.worker, means_.memory, planned,
        course_.question(planned, std::move(*outgoing),
                         request_->streaming.value_or(chat::Streaming::no)),
        reasoning, std::move(when_spoken),
        alone == Alone::yes ? client_.transaction->watchdog : nullptr);
    attempt->number = number;
    return attempt;
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
    auto tickets = course_.try_enter(*planned);
    if (!tickets) return plan_.given_up(*planned, Clock::now());
    auto attempt = open_attempt(*planned, Alone::no);
    if (!attempt) return;
    attempt->tickets = std::move(*tickets);
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
    if (current_->answer.turn().trimmed_calls() &&
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
    record_->malformed_frames += attempt->answer.turn().malformed_count();
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
    return course_.record_of(attempt.number);
}

void Attempts::settle_failed(const Attempt& attempt, const Error& error) {
    course_.failed({&attempt.planned, attempt.number, attempt.begun, &attempt.call}, error);
}

// Another target may say more; if none does, an empty answer is still an answer.
void Attempts::settle_silent(const std::shared_ptr<Attempt>& attempt) {
    settle_failed(*attempt, {ErrorKind::upstream_empty, "the provider answered with nothing"});
    if (!silent_) silent_ = attempt;
}

void Attempts::settle_given_up(const Attempt& attempt, std::string_view why) {
    course_.given_up({&attempt.planned, attempt.number, attempt.begun, &attempt.call}, why);
}

}  // namespace runnel::exchange
