#pragma once

#include "timeline/event.hpp"
#include "timeline/recording.hpp"
#include "tools/written_calls/text_call_scanner.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace runnel::tools {

// For models that write their calls into their text: makes them calls like any other, and takes
// that text out of the answer.
class TextCalls final : public timeline::Sink {
public:
    using MintId = std::function<std::string()>;

    // `tools` can be called: nothing else is taken for a call. `to` must outlive this.
    TextCalls(std::vector<std::string> tools, MintId mint_id, timeline::Sink* to);

    // Started begins an answer, or begins it anew when it was asked of somebody else.
    void on(const timeline::Event& event) override;
    // Some text may be a call, and is not told yet.
    bool is_holding() const;
    std::size_t held_bytes() const override;

private:
    struct Choice {
        explicit Choice(const std::vector<std::string>& tools) : scanner(tools) {}

        TextCallScanner scanner;
        int calls = 0;             // told
        std::vector<int> indexes;  // of the model's proper calls, as told
        bool wrote_calls = false;
        timeline::Recording logprobs;  // of text that is not told yet
    };

    Choice& at(timeline::Choice choice);
    TextCallScanner::Listener listener(timeline::Choice choice);
    void tell_text(timeline::Choice choice, std::string_view escaped);
    void tell_call(timeline::Choice choice, const WrittenCall& call);
    void tell_after_text(timeline::Choice choice, const timeline::Event& event);
    // Tells what was held back.
    void settle(timeline::Choice choice);
    void take_proper_call(const timeline::ToolStarted& event);
    int index_of(timeline::Choice choice, int index);

    std::vector<std::string> tools_;
    MintId mint_id_;
    timeline::Sink* to_;
    std::deque<Choice> choices_;
};

}  // namespace runnel::tools
