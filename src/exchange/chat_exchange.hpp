#pragma once

#include "access/caller.hpp"
#include "access/tool_access.hpp"
#include "api/api.hpp"
#include "exchange/admission/account.hpp"
#include "exchange/background/background_run.hpp"
#include "exchange/cache/answer_copy.hpp"
#include "exchange/cache/cache_visit.hpp"
#include "exchange/continuity.hpp"
#include "exchange/gateway.hpp"
#include "exchange/guard.hpp"
#include "exchange/held_memory.hpp"
#include "exchange/reply.hpp"
#include "exchange/shared_state.hpp"
#include "exchange/worker.hpp"
#include "http/server/connection.hpp"
#include "telemetry/request_log.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace runnel::exchange {

// One chat request from start to finish: reads it, finds its route, and lets the attempts answer
// it.
class ChatExchange {
public:
    // All pointers must outlive the exchange; `record` is filled for the log. `api` is the one that
    // the client speaks, and `incoming` what the path says in it.
    ChatExchange(std::shared_ptr<const Gateway> gateway, Worker* worker, SharedState* shared,
                 http::Transaction* transaction, telemetry::RequestRecord* record,
                 access::Caller caller, const api::Api* api, api::Incoming incoming);

    // Before it runs: it needs no client, and what it comes to is `run`'s, which must outlive it.
    void run_in_background(BackgroundRun* run) { background_ = run; }
    boost::asio::awaitable<void> run();

    // Instead of that: tells how many tokens a model would have to read. It is one request to the
    // limits, and nothing is paid for it.
    boost::asio::awaitable<void> count();

    // The name of the model that was asked for, as the config has it, never an alias; empty: there
    // is no such model.
    const std::string& model() const { return route_.name; }

    // When it is over. What guardrails found in the answer goes into the record:
    void note_findings() { guard_.note_findings(); }
    // For the journal:
    storage::JournalWriter::Ticket ticket() const { return account_.ticket(); }
    // What was asked and answered, where that is kept; else empty.
    std::string content() const;

private:
    // What is asked, of whom, and which guardrails apply; then all that can be known before
    // anybody is asked.
    Result<void> read(std::string body);
    Result<void> take(Result<chat::Request> request);
    void take_headers();
    Result<void> take_to_background();
    Result<void> prepare_count();
    boost::asio::awaitable<void> tell_count(std::int64_t tokens);
    Result<void> route();
    Result<void> prepare();
    boost::asio::awaitable<void> go_on();
    boost::asio::awaitable<void> prepare_later();
    boost::asio::awaitable<void> answer();
    boost::asio::awaitable<void> ask();
    boost::asio::awaitable<void> say_nothing();
    boost::asio::awaitable<void> tell(cache::AnswerCache::Answer known);
    // What is kept between requests (chat::KeptConversation).
    bool keeps_conversations() const;
    bool needs_earlier() const;
    bool keeps_turn() const;
    boost::asio::awaitable<Result<void>> recall_conversation();
    boost::asio::awaitable<Result<void>> resolve_references();
    boost::asio::awaitable<Result<void>> begin_background();
    void keep_input_of(std::string edited_body);
    void keep_conversation();
    Result<void> open_cache();
    void name_turns();
    bool keeps_content() const;
    void copy_answer();
    void note_metadata();
    Result<void> check_tools() const;
    access::ToolAccess tool_access() const;
    void limit_request();
    void limit_tools();
    Result<const api::Dialect*> choose_dialect() const;
    Result<void> find_route();
    Result<void> apply_route();
    Result<void> select_guards();
    Result<void> guard_request();
    boost::asio::awaitable<Result<void>> ask_guards();
    void decline();
    bool runs_tools() const;
    api::Envelope envelope() const;

    std::shared_ptr<const Gateway> gateway_;
    Worker* worker_;
    SharedState* shared_;
    http::Transaction* transaction_;
    telemetry::RequestRecord* record_;
    access::Caller caller_;
    const api::Api* api_;
    api::Incoming incoming_;
    const api::Dialect* dialect_ = nullptr;  // of the answer
    BackgroundRun* background_ = nullptr;    // null: a client waits
    BackgroundRun::Frames background_frames_ = BackgroundRun::Frames::dropped;
    Reply reply_;
    chat::Request request_;
    router::Route route_;
    std::vector<std::string> model_tools_;  // the route's, where not all of them may be run
    ConversationState conversation_;
    Guard guard_;
    Account account_;
    CacheVisit cache_;
    std::optional<AnswerCopy> copy_;
    HeldMemory copies_;  // of the request, for guardrails and the log
    std::string asked_;  // its body, where what is said is kept
    std::string input_;  // what it adds to a conversation, where guardrails changed that
    std::size_t earlier_bytes_ = 0;  // of the conversation that it goes on from
    bool declined_ = false;          // then that is not
    bool asks_a_model_ = true;
};

}  // namespace runnel::exchange
