#pragma once

#include "api/chat/chunk_writer.hpp"
#include "api/hidden_tools.hpp"

#include <optional>
#include <string>

namespace runnel::api {

// The default dialect's stream: OpenAI's chat.completion.chunk frames, strictly. Per choice a role
// chunk right before the first visible event, then one chunk per event, then a finish chunk; after
// all of them the usage if it was asked for, or after a failure an error frame and nothing else;
// [DONE] at the end of either. Tools that the gateway runs show at most as comments.
class OpenAiStream final : public Encoder {
public:
    // `out` must outlive the encoder.
    OpenAiStream(const Envelope& envelope, std::string* out);

    void on(const timeline::Event& event) override;
    std::size_t held_bytes() const override { return chunks_.held_bytes(); }

private:
    void comment_on(const timeline::ServerTool& event);
    void fail(const timeline::Failed& event);
    void end();

    std::string& out_;
    ChunkWriter chunks_;
    Envelope::Usage show_usage_;
    Envelope::ToolEvents show_tools_;
    HiddenTools hidden_tools_;
    std::optional<timeline::Usage> usage_;
    bool failed_ = false;
};

}  // namespace runnel::api
