#pragma once

#include "guardrail/findings.hpp"
#include "guardrail/json.hpp"
#include "guardrail/set.hpp"
#include "guardrail/text.hpp"
#include "timeline/event.hpp"
#include "timeline/recording.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::guardrail {

// Why an answer was cut off to which no rule objects: more of it waited than anybody could look at.
// The native reason of its end.
inline constexpr std::string_view guardrail_gave_up = "guardrail_gave_up";

// Stands between an answer and the client, and lets nothing through that a rule objects to. Text is
// passed on as it comes, but for what may be the beginning of a match; a tool's arguments are
// passed on when they are whole. Where a rule blocks, nothing more is shown: the answer finishes
// with content_filter. What no rule looks at goes through untouched.
//
// Where a rule has a check, all of the answer waits here for the verdict.
class GuardrailFilter final : public timeline::Sink {
public:
    // `rules` are those that apply to the request. `to` must outlive the filter.
    static Result<std::unique_ptr<GuardrailFilter>> make(std::shared_ptr<const GuardrailSet> set,
                                                         GuardrailBits rules,
                                                         GuardrailWorkspace* workspace,
                                                         timeline::Sink* to);
    ~GuardrailFilter() override;

    // What is said will be JSON, and nobody waits for a part of it: it is shown when it is whole,
    // and then escapes in it hide nothing.
    void expect_json() { expects_json_ = true; }

    void on(const timeline::Event& event) override;

    // All that came at once has been told: shows of it what may be shown. Texts are looked at
    // together as far as they came together, which costs less than one by one.
    void settle();
    // Nothing more will be shown: whoever is still answering can stop. What is used is told all the
    // same (UsageReported), and Ended.
    bool cut() const { return cut_; }
    // Ends the answer so: of what is not shown yet, nothing will be.
    void cut_off();
    // No more events will come, perhaps because of a cut: tells Ended if nobody has.
    void end();
    // A failure is about to be told past the filter: shows what is held and is no match.
    void flush();
    // What was told up to here stays, whatever becomes of what follows; and forgets what was told
    // since, of which the client has seen nothing.
    void keep_answer();
    void drop_answer();

    // What must be checked before the answer is shown: the rules, and for each the text. Asked
    // once, after the end; none: nothing must.
    GuardrailBits checks() const { return cut_ ? 0 : checks_; }
    std::string text_for(std::size_t rule) const;
    // Everybody was asked. `blocked`: the answer is not shown. `given_up`: nor is its end, which
    // somebody else tells.
    enum class Checked { passed, blocked, given_up };
    void settle_checks(Checked checked);

    // Here alone: who is told is asked by whoever owns both.
    std::size_t held_bytes() const override;

    // What was found, for the log.
    const GuardrailFindings& findings() const { return findings_; }

private:
    enum class Channel { text, refusal, reasoning };
    struct Speech;  // one choice's text of one channel
    struct Call;    // one tool call that waits for its end

    GuardrailFilter(std::shared_ptr<const GuardrailSet> set, GuardrailBits rules,
                    timeline::Sink* to);

    void on_speech(Channel channel, timeline::Choice choice, std::string_view escaped,
                   const timeline::Event& event);
    void on_json(timeline::Choice choice, std::string_view escaped);
    void release_json(timeline::Choice choice);
    void on_logprobs(const timeline::Logprobs& event);
    bool has_logprobs_of(timeline::Choice choice) const;
    void on_tool_started(const timeline::ToolStarted& event);
    void on_tool_arguments(const timeline::ToolArguments& event);
    void on_tool_ended(const timeline::ToolEnded& event);
    void on_server_tool(const timeline::ServerTool& event);
    void on_reasoning_signed(const timeline::ReasoningSigned& event);
    void on_item_ended(const timeline::ItemEnded& event);
    void on_native(const timeline::Native& event);
    void on_citation(const timeline::Citation& event);
    void on_media(const timeline::Media& event);
    void on_finished(const timeline::Finished& event);
    void on_ended();

    GuardrailBits rules_for(Channel channel) const;
    Speech& speech_of(Channel channel, timeline::Choice choice);
    void pass_on(Speech& speech);
    void pass_on_as_it_came(const Speech& speech);
    void pass_on_released(const Speech& speech);
    void say(const Speech& speech, std::string_view escaped);
    void pass_logprobs_on(Speech& speech);
    void pause(Speech& speech);
    enum class Whose { choice, everybody };
    void pause_all(Whose whose, timeline::Choice choice, const Speech* except = nullptr);
    void release_calls(timeline::Choice choice);
    void release_call(const Call& call);
    bool may_show(const ScannedJson& scanned);
    void note_choice(timeline::Choice choice);
    void finish_with_filter(timeline::Sink* to);
    void tell_held_usage();
    void limit_waiting();
    void forget_answer();
    void tell(const timeline::Event& event) { out_->on(event); }

    std::shared_ptr<const GuardrailSet> set_;
    GuardrailBits on_text_ = 0;     // the rules that look there
    bool looks_at_output_ = false;  // by themselves or by asking
    GuardrailBits on_reasoning_ = 0;
    GuardrailBits on_arguments_ = 0;
    GuardrailBits checks_ = 0;
    std::shared_ptr<Scanner> scanner_;
    timeline::Sink* to_;
    timeline::Sink* out_;  // to_, or held_ while somebody must be asked
    timeline::Recording held_;
    std::size_t kept_events_ = 0;

    std::vector<std::unique_ptr<Speech>> speeches_;
    // What has come of a speech since the last settling: text in its pieces.
    struct Gathered {
        Speech* speech = nullptr;  // null: nothing
        std::string escaped{};
        std::string plain{};
        struct End {  // of a piece
            std::size_t escaped;
            std::size_t plain;
        };
        std::vector<End> ends{};

        void clear();
    };
    Gathered gathered_;
    std::vector<Call> calls_;      // that have not been shown, in the order they were made
    std::size_t whole_bytes_ = 0;  // of arguments and JSON that are shown when they are whole
    bool expects_json_ = false;
    std::vector<std::string> json_escaped_;  // by choice, that has not been shown
    timeline::Recording logprobs_;           // of the text that comes next
    enum class Progress { unseen, open, finished };
    std::vector<Progress> choices_;
    bool cut_ = false;
    bool gave_up_ = false;  // that is why
    bool ended_ = false;
    std::string scratch_;
    GuardrailFindings findings_;
};

}  // namespace runnel::guardrail
