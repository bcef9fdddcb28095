#pragma once

#include "api/chat/agent_hold.hpp"
#include "api/chat/chunk_writer.hpp"
#include "api/chat/late_finish.hpp"
#include "api/hidden_tools.hpp"

#include <string>
#include <string_view>

namespace runnel::api {

// A stream for pages that show an agent at work: OpenAI's chunks for the answer, and frames of
// their own (`type`: tool_start, tool_trace, agent_text) for the tools that the gateway runs and
// for what the model says on the way to them.
class AgentStream final : public Encoder {
public:
    // Whether those frames are chunks as well, with a choice in which nothing happens, so that
    // OpenAI's SDKs read over them; or have their own keys only.
    enum class Frames { hybrid, bare };

    // `out` must outlive the encoder.
    AgentStream(const Envelope& envelope, Frames frames, std::string* out);

    void on(const timeline::Event& event) override;
    bool is_holding() const override { return !hold_.kept().empty(); }
    std::size_t held_bytes() const override { return hold_.bytes() + chunks_.held_bytes(); }

private:
    template <class Said>
    void say(const Said& event);
    void end_hold(const timeline::HoldOver& event);
    void show(const timeline::Event& said);
    // What is held was the answer.
    void show_held();
    // What is held led to a tool.
    void tell_held();
    void write(const timeline::ServerTool& event);
    void write_interim_text(std::string_view escaped);
    // A frame of its own kind: its keys but for the tool's id, which only hybrid frames have.
    void write_frame(std::string_view members, std::string_view call_id);
    void fail(const timeline::Failed& event);
    void end();

    std::string& out_;
    Frames frames_;
    ChunkWriter chunks_;
    Envelope::Usage show_usage_;
    AgentHold hold_;
    HiddenTools hidden_tools_;
    LateFinish finish_;
    bool failed_ = false;
};

}  // namespace runnel::api
