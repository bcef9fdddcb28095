#pragma once

#include "exchange/attempts/attempts.hpp"
#include "exchange/rounds/answer_review.hpp"
#include "exchange/rounds/tool_runs.hpp"
#include "tools/rounds/round_filter.hpp"
#include "tools/tool_box.hpp"
#include "tools/written_calls/text_calls.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace runnel::exchange {

// Answers a request that may take more than one round: of a model that has tools of the gateway's,
// or for JSON. Asks the model, runs what it calls, tells it what came of it, and asks again, until
// it answers as it should or calls a tool of the client's. To the client that is one answer.
class ToolLoop {
public:
    // The pointers must outlive the loop; `tools` may be null, where the config has none.
    // Each of the reviews tells the next one, and the last the reply; without any, every answer is
    // a good one.
    ToolLoop(Attempts::Means means, Attempts::Client client, const tools::ToolBox* tools,
             chat::Request* request, router::Route* route, std::vector<AnswerReview*> reviews);
    ~ToolLoop();
    ToolLoop(const ToolLoop&) = delete;
    ToolLoop& operator=(const ToolLoop&) = delete;

    // Asked before every round but the first, with what the rounds before it have used. An error
    // ends the answer.
    using MayGoOn =
        std::function<boost::asio::awaitable<Result<void>>(std::optional<timeline::Usage> used)>;
    void ask_before_rounds(MayGoOn may_go_on) { may_go_on_ = std::move(may_go_on); }

    // Sees what a tool is to be asked, before it is, and may change that or cut the answer off; and
    // what it has answered, before the model is told, and may change that.
    struct Onlooker {
        std::function<boost::asio::awaitable<void>(std::string* arguments)> before_call;
        std::function<boost::asio::awaitable<void>(std::string* result)> after_call;
    };
    void watch_calls(Onlooker onlooker) { onlooker_ = std::move(onlooker); }

    boost::asio::awaitable<void> run();

private:
    enum class Step { next_round, answered, failed };

    boost::asio::awaitable<Result<void>> offer_tools();
    boost::asio::awaitable<Result<void>> add_tools();
    Result<void> check_names() const;
    Result<void> check_request() const;
    boost::asio::awaitable<Step> round();
    boost::asio::awaitable<Step> review_answer();
    boost::asio::awaitable<Step> next_step();
    boost::asio::awaitable<Step> another_round();
    boost::asio::awaitable<void> run_calls();
    void stay_with(std::size_t target);
    router::FailoverScope scope() const;
    // For the whole request, where it or its model says so.
    std::optional<std::chrono::milliseconds> timeout() const;
    std::chrono::steady_clock::time_point deadline() const;
    bool stopped() const { return client_.transaction->stop->requested(); }

    Attempts::Means means_;
    Attempts::Client client_;
    const tools::ToolBox* tools_;
    chat::Request* request_;
    router::Route* route_;
    std::vector<AnswerReview*> reviews_;
    std::vector<std::string> names_;  // of the config's tools that are used
    std::vector<tools::ToolBox::Offered> offered_;
    tools::RoundFilter filter_;
    std::unique_ptr<tools::TextCalls> text_calls_;  // of a model that writes its calls as text
    ToolRuns runs_;
    MayGoOn may_go_on_;
    std::optional<Onlooker> onlooker_;
    int rounds_left_;
};

// The tools of the gateway's that a request has, by name: its model's, and those that it asks for.
std::vector<std::string> server_tools(const router::Route& route, const chat::Request& request);

// Where the route's model writes its calls as text: what makes them calls to the request's tools.
// Null elsewhere. The pointers must outlive it.
std::unique_ptr<tools::TextCalls> make_text_calls(const router::Route& route,
                                                  const chat::Request& request, IdSource* ids,
                                                  timeline::Sink* to);

}  // namespace runnel::exchange
