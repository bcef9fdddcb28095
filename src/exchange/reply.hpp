#pragma once

#include "api/api.hpp"
#include "chat/request.hpp"
#include "exchange/cache/answer_copy.hpp"
#include "exchange/guard.hpp"
#include "exchange/held_memory.hpp"
#include "exchange/one_end.hpp"
#include "http/server/connection.hpp"
#include "telemetry/request_log.hpp"
#include "telemetry/stream_figures.hpp"
#include "timeline/answer.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace runnel::exchange {

// What the client of one chat request gets: a stream in its dialect, one whole answer, or an error
// with its HTTP status. Nothing is sent before there is something to show, so that a failure before
// it keeps its status; a stream that stays silent begins with a ping, and then shows failures as
// frames. Whatever it is told, in whatever order, the client gets one response with one end.
class Reply final : public timeline::Sink {
public:
    // All pointers must outlive the reply; `record` is filled for the log.
    Reply(http::Transaction* transaction, telemetry::RequestRecord* record,
          telemetry::StreamFigures* figures, MemoryBudget* budget);
    ~Reply() override;

    struct Format {
        const api::Dialect* dialect = nullptr;
        chat::Streaming streaming = chat::Streaming::no;
        api::Envelope envelope{};  // its model is set when somebody answers
        std::chrono::milliseconds ping{0};
    };
    // How the client wants it; until then errors are told in `dialect`'s words.
    void set_dialect(const api::Dialect* dialect) { format_.dialect = dialect; }
    void prepare(Format format);
    // Before anybody answers: the request has become another.
    void set_envelope(api::Envelope envelope);
    // Is told what the client is told. It must outlive the reply.
    void copy_to(AnswerCopy* copy) { copy_ = copy; }
    // What is told goes through its filter. It must stay as long as anything is told.
    Result<void> guard_by(Guard* guard);
    // What was used, where nobody has counted so many bytes of what was said.
    using Estimate = std::function<timeline::Usage(std::uint64_t uncounted_bytes)>;
    void estimate_by(Estimate estimate) { estimate_ = std::move(estimate); }
    // Is called when all of an answer has been told, before its client can know that it is over.
    void before_end(std::function<void()> action) { before_end_ = std::move(action); }
    // All that came at once has been told.
    void settle();
    // A guardrail has ended the answer; what is still told is not shown.
    bool is_cut() const;

    // Before anybody answers, the stream has begun with this.
    void tell_first(std::string_view frames);

    // Somebody answers: what follows is shown, under this model's name.
    void begin(std::string_view model);
    const api::Envelope& envelope() const { return format_.envelope; }
    void on(const timeline::Event& event) override;
    // A round begins: what was told up to here stays, whatever becomes of what follows. `used` is
    // what the rounds before it have used.
    void begin_round(const std::optional<timeline::Usage>& used);
    // Forgets what was told since, of which the client has seen nothing.
    void drop_answer();
    // Text that a dialect holds back for a while is held on as long as this says so.
    void hold_while(std::function<bool()> condition) { must_hold_ = std::move(condition); }

    // What it keeps, with the guardrails' and the dialect's part and what the client has not taken.
    std::size_t held_bytes() const override;
    // So much is kept of the answer, here and before it. The error ends the answer.
    Result<void> hold(std::size_t bytes) { return memory_.hold(bytes); }
    // It does, for want of memory: others have what it took at once, while it is being told. What
    // was not sent yet never is, for a client that does not read would keep it.
    void let_go();

    bool streams() const { return format_.streaming == chat::Streaming::yes; }
    // True once the client has been shown, or is about to be shown, a part of an answer.
    bool has_shown() const { return shown_; }
    bool has_shown_of_round() const { return shown_of_round_; }
    bool has_output() const { return streams() && !responder_->out_is_empty(); }
    // Sends what there is; false when wait_for_client() must be awaited before there can be more.
    bool flush();
    boost::asio::awaitable<void> wait_for_client();
    bool client_is_gone() const;

    // The end: of an answer, or of a request that failed.
    boost::asio::awaitable<void> finish();
    boost::asio::awaitable<void> fail(Error error);

private:
    using Clock = std::chrono::steady_clock;

    // A whole answer in the making.
    struct Whole {
        timeline::Fold fold;
        timeline::Fold kept;
    };

    // Behind the filter.
    class Shown final : public timeline::Sink {
    public:
        explicit Shown(Reply* reply) : reply_(reply) {}
        void on(const timeline::Event& event) override { reply_->show(event); }

    private:
        Reply* reply_;
    };

    void show(const timeline::Event& event);
    void make_encoder();
    void ping();
    void ping_after_silence();
    void watch_hold();
    void hold_for_a_while();
    void begin_response();
    void note_lost_client();
    void note(const timeline::Event& event);
    void note_bytes(const timeline::Event& event);
    void note_counted(const timeline::Usage& used);
    void tell_estimate();
    void note_gap(Clock::time_point now);
    void note_time();
    boost::asio::awaitable<void> refuse(Error error);
    boost::asio::awaitable<void> send_last();

    http::Transaction* transaction_;
    http::Responder* responder_;
    telemetry::RequestRecord* record_;
    telemetry::StreamFigures* figures_;
    HeldMemory memory_;
    Clock::time_point begun_ = Clock::now();
    Format format_;
    std::optional<http::Watchdog> silence_;  // until the next ping is due
    std::optional<http::Watchdog> hold_;     // until text that is held back must be shown
    bool holding_ = false;
    std::function<bool()> must_hold_;
    std::unique_ptr<api::Encoder> encoder_;  // of a streamed answer
    std::unique_ptr<Whole> whole_;           // of one that is not streamed
    AnswerCopy* copy_ = nullptr;
    Guard* guard_ = nullptr;  // null: there are no guardrails
    Shown guarded_{this};
    Estimate estimate_;
    std::function<void()> before_end_;
    std::optional<timeline::Usage> used_before_;  // this round
    std::int64_t counted_output_ = 0;             // as somebody has told it
    std::uint64_t counted_bytes_ = 0;             // of what was said, as far as that counts it
    Clock::time_point last_sent_{};
    api::Took took_;
    OneEnd end_;           // of what is shown
    bool closed_ = false;  // the response has its last byte, or is about to get it
    bool shown_ = false;
    bool shown_of_round_ = false;
    bool waiting_ = false;  // for the client
};

}  // namespace runnel::exchange
