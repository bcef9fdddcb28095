#pragma once

#include "base/error.hpp"
#include "timeline/usage.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

// What any model answered: an ordered run of small events, in no vendor's words. Text in them is
// JSON-escaped (the bytes between the quotes), valid on its own, and a view that lives until the
// call that hands the event out returns.
namespace runnel::timeline {

using Choice = int;  // which of the n answers; almost always 0

// `pause`: the provider stopped in the middle of its own work, and goes on when it is asked again.
enum class Finish { stop, length, tool_calls, content_filter, pause };

std::string_view name_of(Finish finish);

// The model has begun. Nothing visible yet: it commits nothing.
struct Started {
    // Whether the provider itself keeps the answer to the form (JSON, a schema) that was asked for.
    enum class Form { free, kept } form = Form::free;
};

struct Text {
    Choice choice;
    std::string_view text;
};

struct Reasoning {
    Choice choice;
    std::string_view text;
};

// Proof, by whoever made it, of the reasoning that was told last; it may also come without any.
// `issuer` ("kind/model", plain) is who can use it. Clients send it back with the next turn.
struct ReasoningSigned {
    Choice choice;
    std::string_view signature;
    std::string_view issuer;
};

// Reasoning that only its issuer can read.
struct ReasoningEncrypted {
    Choice choice;
    std::string_view data;
    std::string_view issuer;
    std::string_view id{};  // the issuer's own name for it, plain; empty: it has none
};

struct Refusal {
    Choice choice;
    std::string_view text;
};

// The text or reasoning that was told last is complete; what follows is another item, even where it
// is of the same kind. Told only by providers whose answers are made of such items.
struct ItemEnded {
    Choice choice;
};

// A call to a tool. `index` is dense (0, 1, 2… in order of appearance, per choice); id and name are
// plain text.
struct ToolStarted {
    Choice choice;
    int index;
    std::string_view id;
    std::string_view name;
};

struct ToolArguments {
    Choice choice;
    int index;
    std::string_view fragment;
};

struct ToolEnded {
    Choice choice;
    int index;
};

// A tool that the gateway runs itself, each time its state changes. `id` is the gateway's own and
// the same for one run; `arguments` is a JSON value, and `result` one too once it has completed, or
// the JSON string that says why it failed. `explanation` is {"reason", "goal"} in the model's own
// words, where it was asked for them.
struct ServerTool {
    enum class State { created, running, completed, failed } state;
    std::string_view id;
    std::string_view name;
    std::string_view arguments_raw;
    std::string_view result_raw{};
    std::string_view explanation_raw{};
};

// What a dialect holds back, not knowing yet what it will be, can be told now: its time is over, or
// the model has called a tool that the gateway runs, whose arguments are still to come.
struct HoldOver {
    enum class Why { time, tool_called } why = Why::time;
};

// JSON as the provider wrote it, on one line; `api` names the API that it is written in. It is told
// where the client speaks that API, and only its own dialects show it.
struct NativeJson {
    std::string_view api{};
    std::string_view raw{};
};

// What only the provider's own API has a word for.
struct Native {
    Choice choice;
    enum class What {
        item,         // of the answer, complete but for additions; it ends with ItemEnded
        addition,     // to the last item, of whatever kind
        item_fields,  // an object: what else is said of the item that begins next
        answer,       // an object: what else is said of the whole answer
        finish,       // an object: what else is said of the end of this choice
        usage,        // all counts; with the next UsageReported they are out of date
        event         // between other things, in streams alone
    } what;
    NativeJson json;
};

// A source of what was said, in the text that was told last. Whatever is not known is empty.
struct Citation {
    Choice choice;
    // An address, or a place in one of the documents that the request brought.
    enum class Kind { address, characters, pages, blocks, search_result } kind = Kind::address;
    std::string_view url{};
    std::string_view title{};       // of the page or document
    std::string_view cited_text{};  // the source's own words
    // Where in the choice's text it belongs, in characters.
    std::optional<std::int64_t> text_start{}, text_end{};
    // Which document, and where in it.
    std::optional<std::int64_t> document{}, start{}, end{};
    std::string_view file_id{};
    std::string_view reference{};  // the provider's own handle, which it wants back
    NativeJson native{};           // all of it
};

// What a model makes that is no text, or a piece of it: `data` is base64, `media_type` plain.
struct Media {
    Choice choice;
    enum class Kind { image, audio } kind;
    std::string_view media_type{};
    std::string_view data{};
    std::string_view url{};  // in place of data
    // Audio comes in pieces; each of these with any of them.
    std::string_view id{};
    std::string_view transcript{};
    std::optional<std::int64_t> expires_at{};  // seconds since 1970
};

struct TokenLogprob {
    std::string_view token;
    std::string_view logprob_raw;  // a number as the provider wrote it
    std::string_view bytes_raw{};  // an array of numbers, or null; empty: not told
    std::span<const TokenLogprob> top{};
};

// Token log probabilities of the text, or of the refusal, in the event that follows, or of the
// reasoning that led to it.
struct Logprobs {
    Choice choice;
    enum class Of { text, refusal, reasoning } of = Of::text;
    std::span<const TokenLogprob> tokens;
};

// State the provider wants back with this call's result, and that clients strip. `raw` is the
// provider's own JSON.
struct ProviderState {
    std::string_view call_id;
    std::string_view raw;
};

// The latest count; it replaces any earlier one of the same upstream answer.
struct UsageReported {
    Usage usage;
};

// One per choice. `native` is the provider's own word for it; `stop_sequence` the one that was hit,
// where the provider tells.
struct Finished {
    Choice choice;
    Finish finish;
    std::string_view native;
    std::string_view stop_sequence{};
};

// The answer failed; nothing follows but Ended.
struct Failed {
    Error error;
};

// The last event of every timeline.
struct Ended {};

using Event =
    std::variant<Started, Text, Reasoning, ReasoningSigned, ReasoningEncrypted, Refusal, ItemEnded,
                 ToolStarted, ToolArguments, ToolEnded, ServerTool, HoldOver, Native, Citation,
                 Media, Logprobs, ProviderState, UsageReported, Finished, Failed, Ended>;

// Who receives a timeline, event by event, in order.
class Sink {
public:
    virtual ~Sink() = default;
    virtual void on(const Event& event) = 0;
    // About the memory that it keeps of what it was told, with whoever it tells in turn. Asked
    // after every read, so it adds up what is known.
    virtual std::size_t held_bytes() const { return 0; }
};

// True for what a client can see: from then on no other target may answer.
bool is_visible(const Event& event);

// For std::visit: a set of lambdas, so that an event kind nobody thought of does not compile.
template <class... F>
struct Overload : F... {
    using F::operator()...;
};

}  // namespace runnel::timeline
