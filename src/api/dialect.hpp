#pragma once

#include "chat/request.hpp"
#include "timeline/answer.hpp"
#include "timeline/event.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::api {

class Api;

// How long an answer has taken since its request was read, as far as it has come.
struct Took {
    std::chrono::nanoseconds total{0};
    std::chrono::nanoseconds until_first{0};  // until its first visible event
};

// What is the same on every frame of one response.
struct Envelope {
    std::string id;
    std::int64_t created = 0;
    std::string model;
    // What is answered; null: an answer is told again. What a stream needs of it, it takes when it
    // is made: once its first piece is sent, the request is let go.
    const chat::Request* request = nullptr;
    const Took* took = nullptr;                                // null: nobody has measured it
    enum class Usage { hidden, shown } usage = Usage::hidden;  // stream_options.include_usage
    enum class Reasoning { shown, hidden } reasoning = Reasoning::shown;
    // `openai`: whether comments tell of the tools that the gateway runs.
    enum class ToolEvents { hidden, comments } tool_events = ToolEvents::hidden;
    // `timeline`: what tools that the gateway ran gave back, beside the fact that they ran.
    enum class ToolResults { hidden, shown } tool_results = ToolResults::hidden;
    // Tools that the gateway runs and that no dialect shows; "*" is all of them.
    std::vector<std::string> hidden_tools{};
    // `agent`: how long a round's text is held back that may yet lead to a tool: not at all where
    // the gateway has none to run, briefly, or until the round is over.
    enum class Hold { none, brief, round } hold = Hold::brief;
    // json_only: the answer's text is a JSON value, and all that the client gets, in any dialect.
    enum class Form { chunks, bare_json } form = Form::chunks;
};

// Turns a timeline into the bytes of one kind of stream, appended to the string it was made with.
// After Ended the stream is complete; the caller takes bytes out of the string whenever it likes.
class Encoder : public timeline::Sink {
public:
    // True while it keeps back something that must not be kept for long: see timeline::HoldOver.
    virtual bool is_holding() const { return false; }
};

// A way to write answers. Most APIs have one; chat completions has several.
class Dialect {
public:
    virtual ~Dialect() = default;
    virtual std::string_view name() const = 0;
    // Whose requests it answers.
    virtual const Api& api() const = 0;
    virtual std::unique_ptr<Encoder> make_encoder(const Envelope& envelope,
                                                  std::string* out) const = 0;
    // Of a stream.
    virtual std::string_view content_type() const { return "text/event-stream; charset=utf-8"; }
    // What a silent stream shows that it lives by.
    virtual std::string_view ping() const { return ": ping\n\n"; }
    // A whole answer as one JSON document.
    virtual std::string write_answer(const Envelope& envelope,
                                     const timeline::Answer& answer) const = 0;
};

}  // namespace runnel::api
