#pragma once

#include "api/chat/chunk_writer.hpp"
#include "api/chat/late_finish.hpp"
#include "api/hidden_tools.hpp"

#include <string>
#include <vector>

namespace runnel::api {

// A stream for chat pages that draw an answer as one sequence of steps. The role stands on the
// first chunk, a tool call is one delta once it is whole, tools that the gateway runs are
// `servertool` chunks, usage is on the finish chunk, and a failure is a finish too.
class TimelineStream final : public Encoder {
public:
    // `out` must outlive the encoder.
    TimelineStream(const Envelope& envelope, std::string* out);

    void on(const timeline::Event& event) override;
    std::size_t held_bytes() const override { return call_bytes_ + chunks_.held_bytes(); }

private:
    struct Call {
        timeline::Answer::ToolCall content;
        bool ended = false;
    };
    struct Calls {
        std::vector<Call> all;
        std::size_t written = 0;
    };

    void begin_call(const timeline::ToolStarted& event);
    void end_call(const timeline::ToolEnded& event);
    void write(const timeline::ServerTool& event);
    void fail(const timeline::Failed& event);
    void end();
    Calls& calls_of(timeline::Choice choice);

    ChunkWriter chunks_;
    Envelope::ToolResults show_results_;
    HiddenTools hidden_tools_;
    std::vector<Calls> calls_;  // by choice
    std::size_t call_bytes_ = 0;
    LateFinish finish_;
    std::string scratch_;
    bool failed_ = false;
};

}  // namespace runnel::api
