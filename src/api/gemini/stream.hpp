#pragma once

#include "api/dialect.hpp"
#include "api/gemini/candidate.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::api::gemini {

// Server-sent events (alt=sse), or one JSON array that comes piece by piece.
enum class Framing { events, array };

// The stream of streamGenerateContent: objects of which each has what was added, and the last one
// why it ends; after a failure an error object and nothing else. Tools that the gateway runs do not
// show: clients of this API would try to run them.
class Stream final : public Encoder {
public:
    // `out` must outlive the encoder.
    Stream(const Envelope& envelope, Framing framing, std::string* out);

    void on(const timeline::Event& event) override;
    std::size_t held_bytes() const override;

private:
    // Writes what the candidate has to show, as an object of its own.
    void show(timeline::Choice choice);
    void begin_object();
    void end_object();
    void on_native(const timeline::Native& event);
    // What stands behind the candidates from now on.
    void set_usage(const timeline::NativeJson& native);
    void begin_candidates();
    void fail(const Error& error);
    void end();

    std::string& out_;
    Envelope envelope_;
    Framing framing_;
    std::map<timeline::Choice, Candidate> candidates_;
    std::optional<timeline::Usage> usage_;
    std::string fields_;   // members in this API's own words, of the next object
    std::string tail_;     // of every object, behind its candidates
    std::string scratch_;  // a candidate that is being written
    bool any_ = false;     // object was written
    bool failed_ = false;
};

}  // namespace runnel::api::gemini
