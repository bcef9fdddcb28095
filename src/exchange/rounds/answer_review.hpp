#pragma once

#include "base/error.hpp"
#include "timeline/event.hpp"
#include "tools/rounds/round_filter.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace runnel::exchange {

// Looks at what a round of an answer came to before the client sees it: shows it, has the model
// asked again, or gives up. What may be shown at once passes through its sink; the rest it keeps.
class AnswerReview {
public:
    virtual ~AnswerReview() = default;

    // Where the rounds are told to.
    virtual timeline::Sink* sink() = 0;

    enum class Result { told, ask_again, given_up };
    // Of the round that has just ended, as the filter saw it. To be asked again, the request has
    // been told what was wrong.
    virtual Result review(const tools::RoundFilter& round) = 0;

    // Why it was given up.
    const Error& failure() const { return failure_; }

protected:
    // What was said is told to the client, who may see it, and not to the log.
    Result give_up(ErrorKind kind, std::string why, std::string_view said = {}) {
        failure_ = {kind, why};
        failure_.message += said;
        failure_.detail = std::move(why);
        return Result::given_up;
    }

private:
    Error failure_;
};

}  // namespace runnel::exchange
