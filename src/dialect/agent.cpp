#include "dialect/agent_stream.hpp"
#include "dialect/chat_dialect.hpp"
#include "dialect/registry.hpp"

namespace runnel::dialect {
namespace {

template <AgentStream::Frames frames>
std::unique_ptr<Encoder> make_agent_stream(const Envelope& envelope, std::string* out) {
    return std::make_unique<AgentStream>(envelope, frames, out);
}

}  // namespace

const Dialect& agent() {
    static const ChatDialect dialect("agent", agent_style,
                                     make_agent_stream<AgentStream::Frames::hybrid>);
    return dialect;
}

const Dialect& agent_raw() {
    static const ChatDialect dialect("agent-raw", agent_style,
                                     make_agent_stream<AgentStream::Frames::bare>);
    return dialect;
}

}  // namespace runnel::dialect
