#pragma once

#include "api/dialect.hpp"
#include "timeline/recording.hpp"

#include <string>
#include <vector>

namespace runnel::api {

// What a round says before it is known what it is: an answer, or words on the way to a tool. Text
// is kept, and whatever follows it so that nothing is told out of order, until the round shows what
// it is or has been silent for too long. A text that may be a tool call is kept for longer.
class AgentHold {
public:
    explicit AgentHold(Envelope::Hold hold);

    bool is_open() const { return open_; }
    // True when it is kept; otherwise it may be shown at once. Only for what a model says.
    bool keep(const timeline::Event& event);
    // What is kept has waited for as long as an ordinary text may.
    void time_is_over() { time_is_over_ = !kept_.empty(); }
    // So much is kept, or for so long, that it must be an answer.
    bool is_over() const;

    const std::vector<timeline::Event>& kept() const { return kept_.events(); }
    std::size_t bytes() const { return kept_.bytes(); }
    // Forgets what is kept. From now on nothing is, until the next round.
    void open();
    void begin_round();

private:
    void count(std::string_view text_escaped);
    bool may_be_a_call() const;

    Envelope::Hold hold_;
    bool open_ = false;
    bool time_is_over_ = false;
    timeline::Recording kept_;
    std::string opening_;  // the first characters that are not white space, escaped
    std::size_t characters_ = 0;
};

}  // namespace runnel::api
