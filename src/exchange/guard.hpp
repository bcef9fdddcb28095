#pragma once

#include "chat/request.hpp"
#include "guardrail/check.hpp"
#include "guardrail/filter.hpp"
#include "guardrail/input.hpp"
#include "guardrail/set.hpp"
#include "http/client/client.hpp"
#include "http/message/headers.hpp"
#include "http/stop.hpp"
#include "router/router.hpp"
#include "telemetry/request_log.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace runnel::exchange {

// The guardrails of one request: which of them apply, what they say to what is asked, and the
// filter that the answer goes through.
class Guard {
public:
    // The pointers must outlive it. What is found is noted in `record`.
    Guard(std::shared_ptr<const guardrail::GuardrailSet> set,
          guardrail::GuardrailWorkspace* workspace, http::Client* client,
          telemetry::RequestRecord* record);

    // Which rules apply. The error is the client's, who asked for what there is not.
    Result<void> select(const chat::Request& request, const router::Route& route,
                        const std::vector<std::string>* of_key, const http::HeaderList& headers);
    bool is_on() const { return rules_ != 0; }
    // They can look at once. Otherwise they must be waited for, a tenth of a second at most.
    bool is_ready() const { return !is_on() || set_->is_ready(rules_); }
    boost::asio::awaitable<void> wait_until_ready() const;
    guardrail::GuardrailBits rules() const { return rules_; }

    // What becomes of the request, as far as rules say that need not ask anybody; the error is what
    // the client is told. What they redact is changed in the request.
    Result<guardrail::InputScan> look_at(chat::Request* request);
    // What of it those see who must be asked: the client's own words, as those rules left them.
    void take_words(const chat::Request& request);
    std::size_t held_bytes() const { return words_.size(); }
    // What they say: pass, or decline; the error is what the client is told.
    boost::asio::awaitable<Result<guardrail::InputScan::Outcome>> ask_about_words(http::Stop* stop);

    // What a tool is to be asked that runs here: becomes what it may be asked. If a rule or
    // somebody objects to it, the answer is cut off.
    boost::asio::awaitable<void> look_at_call(std::string* arguments, http::Stop* stop);
    // What a tool that runs here is asked or has answered, as it may be shown: to those who must be
    // asked, and to a client. The error is what one is told who may not see it.
    boost::asio::awaitable<Result<std::string>> look_at_tool(std::string json, http::Stop* stop);
    // What a tool that ran here has answered, before the model is told.
    boost::asio::awaitable<void> look_at_result(std::string* text, http::Stop* stop);

    // The answer goes through the filter to `to`, which must outlive this.
    Result<void> open(timeline::Sink* to);
    guardrail::GuardrailFilter* filter() { return filter_.get(); }
    // The answer has ended. Whoever must see all of it first is asked now. The error: a stop came
    // before they said a word, and of the answer nothing is shown.
    boost::asio::awaitable<Result<void>> close(http::Stop* stop);
    // Whatever came of the answer: what was found in it goes into the record.
    void note_findings();

private:
    // What somebody says who is asked about a text, with what a client is told who is blocked by
    // it.
    struct Opinion {
        enum class Kind {
            none,  // also of a rule that logs
            objects,
            unknown,
            stopped,  // nobody waits for it any more
        } kind = Kind::none;
        Error error{};
    };
    boost::asio::awaitable<Opinion> opinion(std::size_t rule, std::string text, http::Stop* stop);
    boost::asio::awaitable<Result<guardrail::Verdict>> ask(const guardrail::GuardrailRule* rule,
                                                           std::string text, http::Stop* stop);
    void note(const guardrail::GuardrailFindings& findings);

    std::shared_ptr<const guardrail::GuardrailSet> set_;
    guardrail::GuardrailWorkspace* workspace_;
    http::Client* client_;
    telemetry::RequestRecord* record_;
    guardrail::GuardrailBits rules_ = 0;
    std::string words_;  // of the request, where somebody must be asked
    std::unique_ptr<guardrail::GuardrailFilter> filter_;
};

}  // namespace runnel::exchange
