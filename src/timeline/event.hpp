#pragma once

#include "base/error.hpp"
#include "timeline/usage.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

// What any model answered: an ordered run of small events, in no vendor's words. Text in them is
// JSON-escaped (the bytes between the quotes), valid on its own, and a view that lives until the
// call that hands the event out returns.
namespace runnel::timeline {

using Choice = int;  // which of the n answers; almost always 0

enum class Finish { stop, length, tool_calls, content_filter };

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

struct Refusal {
    Choice choice;
    std::string_view text;
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

// A source the model cites; `raw` is an OpenAI url_citation annotation object.
struct Annotation {
    Choice choice;
    std::string_view raw;
};

// What a model makes that is no text. An image's `raw` is {"type":"image_url","image_url":{"url":
// …}}, with the picture in a data: URL; an audio's is one piece of OpenAI's `audio` object.
struct Media {
    Choice choice;
    enum class Kind { image, audio } kind;
    std::string_view raw;
};

// Token log probabilities; `raw` is OpenAI's logprobs object. It belongs to the text event that
// follows it.
struct Logprobs {
    Choice choice;
    std::string_view raw;
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

// One per choice. `native` is the provider's own word for it.
struct Finished {
    Choice choice;
    Finish finish;
    std::string_view native;
};

// The answer failed; nothing follows but Ended.
struct Failed {
    Error error;
};

// The last event of every timeline.
struct Ended {};

using Event = std::variant<Started, Text, Reasoning, Refusal, ToolStarted, ToolArguments, ToolEnded,
                           ServerTool, HoldOver, Annotation, Media, Logprobs, ProviderState,
                           UsageReported, Finished, Failed, Ended>;

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
