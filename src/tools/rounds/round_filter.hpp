#pragma once

#include "timeline/event.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

// Makes one answer of several rounds: the model is asked, calls tools that the gateway runs, and is
// asked again with their results. What the client sees has one finish, one usage and one end; calls
// to the gateway's own tools are taken out of it, and those to the client's tools are numbered
// anew.
class RoundFilter final : public timeline::Sink {
public:
    struct Call {
        std::string id;
        std::string name;
        std::string arguments_escaped;
    };
    using IsOwn = std::function<bool(std::string_view tool)>;

    // `to` must outlive the filter.
    RoundFilter(IsOwn is_own, timeline::Sink* to);

    // Takes the timeline of each round; Started begins a round, or begins it anew when it was
    // asked of somebody else.
    void on(const timeline::Event& event) override;

    // Of the round that has just ended.
    const std::vector<Call>& own_calls() const { return own_calls_; }
    const std::vector<Call>& client_calls() const { return client_calls_; }
    const std::string& text_escaped() const { return text_escaped_; }
    const std::string& reasoning_escaped() const { return reasoning_escaped_; }
    timeline::Finish finish() const { return finish_; }
    // By all rounds that are over.
    const std::optional<timeline::Usage>& used() const { return usage_; }

    std::size_t held_bytes() const override;

    // The round is over, and another one follows or the answer ends: its usage counts.
    void close_round();
    // Ends the answer the way its last round did.
    void end();

private:
    void on_call(const timeline::ToolStarted& event);
    void on_arguments(const timeline::ToolArguments& event);
    void on_call_end(const timeline::ToolEnded& event);

    struct Place {
        enum class Owner { gateway, client } owner;
        std::size_t at;
    };
    Place& place_of(int index) { return places_[static_cast<std::size_t>(index)]; }

    IsOwn is_own_;
    timeline::Sink* to_;
    std::vector<Place> places_;  // by the round's own index of a call
    std::vector<Call> own_calls_;
    std::vector<Call> client_calls_;
    std::string text_escaped_;
    std::string reasoning_escaped_;
    std::size_t call_bytes_ = 0;
    std::optional<timeline::Usage> round_usage_;
    std::optional<timeline::Usage> usage_;  // of the rounds that are over
    timeline::Finish finish_ = timeline::Finish::stop;
    std::string native_;
    std::string stop_sequence_;
};

}  // namespace runnel::tools
