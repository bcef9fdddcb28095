#include "exchange/reply.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"
#include "exchange/whole_reply.hpp"

#include <algorithm>

namespace runnel::exchange {

using boost::asio::awaitable;
using http::Stop;

namespace {

bool wants_no_pings(const http::HeaderList& headers) {
    return ascii::lowered(headers.get("Sse-Stream-Options")).find("no-ping") != std::string::npos;
}

}  // namespace

Reply::Reply(http::Transaction* transaction, telemetry::RequestRecord* record,
             telemetry::StreamFigures* figures, MemoryBudget* budget)
    : transaction_(transaction),
      responder_(transaction->responder),
      record_(record),
      figures_(figures),
      memory_(budget) {}

Reply::~Reply() {
    if (streams()) figures_->open.add(-1);
}

void Reply::prepare(Format format) {
    format_ = std::move(format);
    format_.envelope.took = &took_;
    if (streams()) figures_->open.add();
    if (!streams()) whole_ = std::make_unique<Whole>();
    if (!streams() || format_.ping.count() == 0 || wants_no_pings(transaction_->request.headers))
        return;
    silence_.emplace(transaction_->executor);
    ping_after_silence();
}

void Reply::set_envelope(api::Envelope envelope) {
    format_.envelope = std::move(envelope);
    format_.envelope.took = &took_;
}

void Reply::ping_after_silence() {
    silence_->set(Clock::now() + format_.ping, [this] { ping(); });
}

void Reply::ping() {
    ping_after_silence();
    if (end_.reached()) return;
    if (waiting_ || responder_->has_aside()) return;  // it has more to read than it takes
    if (!responder_->begun()) begin_response();
    responder_->out() += format_.dialect->ping();
    figures_->pings.add();
    responder_->flush_aside();
    note_lost_client();
}

// A dialect that does not know yet what text will be may keep it, but not for long.
void Reply::watch_hold() {
    if (encoder_->is_holding() == holding_) return;
    holding_ = !holding_;
    if (!holding_) {
        hold_->stop();
        return;
    }
    if (!hold_) hold_.emplace(transaction_->executor);
    hold_for_a_while();
}

void Reply::hold_for_a_while() {
    hold_->set(Clock::now() + limits::hold_time, [this] {
        if (end_.reached()) return;
        const bool must_hold = must_hold_ && must_hold_();
        if (waiting_ || must_hold) {  // while it waits, it would be sent no sooner
            hold_for_a_while();
            return;
        }
        encoder_->on(timeline::HoldOver{});
        holding_ = encoder_->is_holding();
        if (responder_->out_is_empty()) return;
        if (!responder_->begun()) begin_response();
        responder_->flush_aside();
        note_lost_client();
    });
}

void Reply::tell_first(std::string_view frames) {
    begin_response();
    responder_->out() += frames;
    responder_->flush(http::Responder::Piece::more);
    note_lost_client();
}

void Reply::begin(std::string_view model) {
    format_.envelope.model = model;
    if (streams()) make_encoder();
}

void Reply::make_encoder() {
    encoder_ = format_.dialect->make_encoder(format_.envelope, &responder_->out());
}

Result<void> Reply::guard_by(Guard* guard) {
    if (auto opened = guard->open(&guarded_); !opened) return opened;
    guard_ = guard;
    return {};
}

std::size_t Reply::held_bytes() const {
    std::size_t bytes = responder_->unsent_bytes();
    if (guard_ != nullptr) bytes += guard_->filter()->held_bytes();
    if (copy_ != nullptr) bytes += copy_->held_bytes();
    if (encoder_) bytes += encoder_->held_bytes();
    // A whole answer becomes a document of about the same size, and then there are both.
    if (whole_) bytes += 2 * whole_->fold.held_bytes() + whole_->kept.held_bytes();
    return bytes;
}

void Reply::let_go() {
    whole_.reset();
    responder_->forget_piece();
    if (!responder_->begun()) shown_ = false;
    static_cast<void>(memory_.hold(held_bytes()));
}

void Reply::settle() {
    if (guard_ != nullptr) guard_->filter()->settle();
}

bool Reply::is_cut() const { return guard_ != nullptr && guard_->filter()->cut(); }

void Reply::on(const timeline::Event& event) {
    note_bytes(event);
    if (guard_ != nullptr) {
        guard_->filter()->on(event);
    } else {
        show(event);
    }
}

void Reply::show(const timeline::Event& event) {
    if (is_cut() && !end_.reached() && std::holds_alternative<timeline::Ended>(event))
        tell_estimate();
    if (closed_ || !end_.takes(event)) return;
    if (copy_ != nullptr) copy_->on(event);
    if (std::holds_alternative<timeline::Ended>(event)) note_time();
    if (before_end_ && !whole_ && std::holds_alternative<timeline::Ended>(event)) before_end_();
    if (!std::holds_alternative<timeline::Text>(event)) note(event);
    if (record_->first_event.count() == 0 && timeline::is_visible(event))
        record_->first_event =
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun_);
    if (whole_) {
        whole_->fold.on(event);
        return;
    }
    if (!encoder_) make_encoder();
    encoder_->on(event);
    const bool visible = timeline::is_visible(event);
    // Also what only some dialects show, and what a dialect still holds back.
    if (visible || !responder_->out_is_empty()) shown_ = shown_of_round_ = true;
    watch_hold();
}

// For the estimate, where nobody counts the tokens.
void Reply::note_bytes(const timeline::Event& event) {
    if (const auto* text = std::get_if<timeline::Text>(&event)) {
        record_->answer_bytes += text->text.size();
    } else if (const auto* reasoning = std::get_if<timeline::Reasoning>(&event)) {
        record_->answer_bytes += reasoning->text.size();
    } else if (const auto* arguments = std::get_if<timeline::ToolArguments>(&event)) {
        record_->answer_bytes += arguments->fragment.size();
    } else if (const auto* used = std::get_if<timeline::UsageReported>(&event)) {
        note_counted(used->usage);
    }
}

// Some tell what was asked long before what was answered.
void Reply::note_counted(const timeline::Usage& used) {
    if (used.output != counted_output_) counted_bytes_ = record_->answer_bytes;
    counted_output_ = used.output;
}

// Who is cut off is not waited for, and can't say what it used.
void Reply::tell_estimate() {
    const std::uint64_t counted = record_->usage ? counted_bytes_ : 0;
    if (!estimate_ || record_->answer_bytes == counted) return;
    show(timeline::UsageReported{estimate_(record_->answer_bytes - counted)});
    record_->usage_provenance = telemetry::RequestRecord::Provenance::estimated;
}

void Reply::note(const timeline::Event& event) {
    if (const auto* usage = std::get_if<timeline::UsageReported>(&event)) {
        record_->usage = usage->usage;
    } else if (const auto* finished = std::get_if<timeline::Finished>(&event)) {
        record_->finish = timeline::name_of(finished->finish);
        const bool known =
            std::ranges::find(record_->warnings, finished->native) != record_->warnings.end();
        if (finished->native == guardrail::guardrail_gave_up && !known)
            record_->warnings.emplace_back(finished->native);
    }
}

void Reply::begin_round(const std::optional<timeline::Usage>& used) {
    if (used) note_counted(*used);
    used_before_ = used;
    record_->usage = used;
    if (guard_ != nullptr) guard_->filter()->keep_answer();
    if (whole_) whole_->kept = whole_->fold;
    if (copy_ != nullptr) copy_->keep();
    shown_of_round_ = false;
}

void Reply::drop_answer() {
    if (guard_ != nullptr) guard_->filter()->drop_answer();
    if (whole_) whole_->fold = whole_->kept;
    if (copy_ != nullptr) copy_->drop();
    if (!shown_) {
        encoder_.reset();
        hold_.reset();
        holding_ = false;
        end_.reopen();
    }
    record_->usage = used_before_;
    record_->finish.clear();
}

bool Reply::flush() {
    if (!responder_->begun()) begin_response();
    const auto now = Clock::now();
    if (silence_) silence_->move_to(now + format_.ping);
    note_gap(now);
    const bool flushed = responder_->flush(http::Responder::Piece::more);
    note_lost_client();
    return flushed;
}

// Of the whole answer, for those who tell it.
void Reply::note_time() {
    took_.total = Clock::now() - begun_;
    took_.until_first = record_->first_event;
}

// Between two pieces of the answer.
void Reply::note_gap(Clock::time_point now) {
    if (last_sent_ != Clock::time_point()) {
        const auto gap = std::chrono::duration_cast<std::chrono::microseconds>(now - last_sent_);
        record_->longest_gap = std::max(record_->longest_gap, gap);
        figures_->gaps.add(gap);
    }
    last_sent_ = now;
}

void Reply::note_lost_client() {
    if (responder_->error()) transaction_->stop->request(Stop::Reason::client_gone);
}

awaitable<void> Reply::wait_for_client() {
    http::Stream* client = transaction_->client;
    transaction_->watchdog->set(Clock::now() + limits::blocked_client_time,
                                [client] { client->close(); });
    Stop* stop = transaction_->stop;
    Stop::Guard guard(stop, [client, stop] {
        // Any other reason is one that the client is just being told.
        if (stop->reason() == Stop::Reason::client_gone) client->close();
    });
    waiting_ = true;
    co_await responder_->drain();
    waiting_ = false;
    transaction_->watchdog->stop();
    note_lost_client();
}

bool Reply::client_is_gone() const {
    return responder_->error() || transaction_->stop->reason() == Stop::Reason::client_gone;
}

awaitable<void> Reply::finish() {
    if (client_is_gone() || closed_) co_return;
    if (guard_ != nullptr) {
        auto closed = co_await guard_->close(transaction_->stop);
        if (!closed) {
            co_await fail(std::move(closed.error()));
            co_return;
        }
        if (client_is_gone()) co_return;
    }
    if (streams()) {
        show(timeline::Ended{});
        co_await send_last();
        co_return;
    }
    note_time();
    if (before_end_) before_end_();
    closed_ = true;
    begin_response();
    std::string body = format_.dialect->write_answer(format_.envelope, whole_->fold.answer());
    whole_.reset();
    co_await send_whole(transaction_, 200, std::move(body));
}

awaitable<void> Reply::fail(Error error) {
    if (client_is_gone() || closed_) co_return;
    const bool seen = shown_ || responder_->begun();
    if (seen) {
        if (guard_ != nullptr) guard_->filter()->flush();
        // Who has been told that the answer was filtered need not know that it failed, too.
        if (is_cut()) {
            co_await finish();
            co_return;
        }
    }
    record_->error_kind = name_of(error.kind);
    record_->error_detail = error.detail.empty() ? error.message : error.detail;
    if (!seen) {
        co_await refuse(std::move(error));
        co_return;
    }
    show(timeline::Failed{std::move(error)});
    show(timeline::Ended{});
    co_await send_last();
}

awaitable<void> Reply::send_last() {
    closed_ = true;
    silence_.reset();
    hold_.reset();
    if (!responder_->begun()) begin_response();
    if (!responder_->flush(http::Responder::Piece::last)) co_await wait_for_client();
    note_lost_client();
}

awaitable<void> Reply::refuse(Error error) {
    closed_ = true;
    silence_.reset();
    co_await send_refusal(transaction_, record_, &format_.dialect->api(), std::move(error));
}

// Who answers is told where that is known already; after an early ping it is not.
void Reply::begin_response() {
    http::HeaderList& headers = responder_->headers();
    if (streams()) {
        headers.add("Content-Type", format_.dialect->content_type());
        headers.add("Cache-Control", "no-cache, no-transform");
        headers.add("X-Accel-Buffering", "no");
        headers.add("X-Stream-Dialect", format_.dialect->name());
    } else {
        headers.add("Content-Type", "application/json");
    }
    headers.add("X-Completion-Id", format_.envelope.id);
    if (!record_->cache.empty()) headers.add("X-Cache", record_->cache);
    if (!format_.envelope.model.empty()) add_served_fields(*record_, &headers);
}

}  // namespace runnel::exchange
