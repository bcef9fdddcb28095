#pragma once

#include "base/ids.hpp"
#include "json/text.hpp"
#include "timeline/event.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {

// A tool whose own name the provider would refuse.
struct RenamedTool {
    std::string sent;
    std::string name;  // the client's
};

struct TurnOptions {
    std::string display_name{};    // of the provider, for messages
    std::string tool_id_prefix{};  // put before the provider's own call ids, e.g. "call_" for
                                   // Anthropic's toolu_…
    enum class ThinkTags {
        text,
        reasoning
    } think_tags = ThinkTags::text;  // a <think> block at the head of content
    int tool_calls_max =
        0;  // 0: any number; 1 where parallel calls are off and the provider can't be told
    enum class State { drop, keep } state = State::keep;
    // What a finish reason means: the end, or (Gemini gives one with every event) perhaps the end.
    enum class FinishMeans { end, perhaps } finish_means = FinishMeans::end;
    int choices = 1;      // how many answers were asked for
    std::string model{};  // as asked upstream
    // Who can use the answer's signatures and encrypted reasoning: "kind/model".
    std::string issuer{};
    std::vector<RenamedTool> renamed_tools{};
    // What audio that has no form of its own (PCM samples) is told as.
    enum class Samples { bare, wav } samples = Samples::bare;
    // The provider's own API, where it is the client's too (answer_in): then what only that has
    // words for is told (timeline::Native). Empty: it is left out.
    std::string_view native_api{};
};

// The client speaks that API. One that is the provider's own gets its answer as the provider has
// it, ids and all.
void answer_in(std::string_view api, TurnOptions& options);

// One upstream answer being told, by whatever wire format, as a clean timeline. Wires report what
// they read, in the order and with the words they got; the Turn sees to the grammar: one finish per
// choice, dense tool indexes, ids for calls that have none, `{}` for calls without arguments,
// characters never cut in two, and an end that is either a finish or a failure, whatever the
// provider did.
//
// Text arguments named `escaped` are JSON string bodies as they stand in the provider's JSON.
class Turn {
public:
    // How an upstream tells its tool calls apart: block number, tool_calls[].index, position.
    // Unique per choice.
    using CallKey = std::int64_t;

    // `ids` mints ids for calls that have none. Both pointers must outlive the turn.
    Turn(TurnOptions options, timeline::Sink* sink, IdSource* ids);

    void started();
    // The provider has spoken of this choice, though it may have said nothing in it yet.
    void begun(timeline::Choice choice);
    void text(timeline::Choice choice, std::string_view escaped);
    void reasoning(timeline::Choice choice, std::string_view escaped);
    void reasoning_signed(timeline::Choice choice, std::string_view escaped);
    void reasoning_encrypted(timeline::Choice choice, std::string_view escaped);
    void refusal(timeline::Choice choice, std::string_view escaped);
    // The text or reasoning that was told last is complete.
    void item_ended(timeline::Choice choice);
    // Their texts are as they stand in the provider's JSON. A data: URL may stand for data.
    void citation(timeline::Citation citation);
    void media(timeline::Media media);
    bool tells_natives() const { return !options_.native_api.empty(); }
    // `raw` as it stands in the provider's JSON; told only where natives are.
    void native(timeline::Choice choice, timeline::Native::What what, std::string_view raw);
    // These are clean already (core/logprobs.hpp).
    void logprobs(timeline::Logprobs logprobs);

    // Announces a call or adds to what is known of it: id and name (plain text) may come together,
    // apart, repeatedly or never; empty means not told. A new id and name under a key already used
    // is a new call.
    void tool(timeline::Choice choice, CallKey key, std::string_view id, std::string_view name);
    // The provider gives this call no id, so it is not waited for: its arguments can go on as they
    // come.
    void tool_without_id(timeline::Choice choice, CallKey key);
    void tool_arguments(timeline::Choice choice, CallKey key, std::string_view escaped);
    void tool_ended(timeline::Choice choice, CallKey key);
    // What the provider wants back with this call (its own JSON).
    void tool_state(timeline::Choice choice, CallKey key, std::string_view raw);
    // The same for all calls of the turn; kept when there are any.
    void turn_state(std::string raw) { turn_state_ = std::move(raw); }

    void usage(const timeline::Usage& usage);
    // The reason this choice gives for ending; the last one told counts. `native` is the provider's
    // word, `stop_sequence` (escaped) the one that was hit.
    void finish(timeline::Choice choice, timeline::Finish finish, std::string_view native,
                std::string_view stop_sequence = {});
    // Ends the timeline. Once the model has spoken, a "rejected" request is the provider's failure,
    // not the client's.
    void fail(Error error);
    // An event nobody can read; the stream goes on.
    void malformed() { ++malformed_; }

    // The provider's terminal marker was seen.
    void complete();
    // There will be no more bytes. Without a terminal marker or a finish reason that is a failure.
    void close();

    bool ended() const { return ended_; }
    // Every choice that was begun has a finish reason.
    bool all_finished() const;
    // Every choice that was asked for has a finish reason: only usage may still come. Never true
    // of a provider that gives a reason with every chunk.
    bool finish_seen() const;
    bool any_output() const { return output_count_ > 0; }
    std::uint64_t output_count() const { return output_count_; }  // of visible events
    int malformed_count() const { return malformed_; }
    bool trimmed_calls() const { return trimmed_calls_; }
    const TurnOptions& options() const { return options_; }
    // Of what it keeps of the answer.
    std::size_t held_bytes() const { return call_bytes_ + turn_state_.size(); }

private:
    struct Call;
    struct ChoiceState;

    ChoiceState& state(timeline::Choice choice);
    Call* find(ChoiceState& choice, CallKey key);
    bool takes_another(ChoiceState& choice);  // citation, picture or signature
    void emit(const timeline::Event& event);
    void announce(timeline::Choice choice, ChoiceState& state, Call& call);
    void tell_arguments(timeline::Choice choice, Call& call, std::string_view clean);
    std::string_view client_name(const Call& call) const;
    void announce_waiting(timeline::Choice choice, ChoiceState& state);
    void end_call(timeline::Choice choice, Call& call);
    void finish_choice(timeline::Choice choice, ChoiceState& state);
    void end();

    TurnOptions options_;
    timeline::Sink* sink_;
    IdSource* ids_;
    std::vector<ChoiceState> choices_;
    std::string scratch_;
    std::string turn_state_;
    std::size_t call_bytes_ = 0;
    bool usage_seen_ = false;
    std::uint64_t output_count_ = 0;
    bool talks_on_ = false;  // text came after a finish reason: it does not mean the end there
    bool completed_ = false;
    bool ended_ = false;
    bool trimmed_calls_ = false;
    int malformed_ = 0;

public:
    ~Turn();
};

}  // namespace runnel::provider
