#pragma once

#include "base/result.hpp"
#include "json/parser.hpp"
#include "tools/mcp/message.hpp"
#include "tools/mcp/tools.hpp"
#include "tools/source.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace runnel::tools::mcp {

// MCP has two eras: a handshake and a session (up to 2025-11-25), or every request by itself with
// its version and capabilities in _meta (from 2026-07-28). A server speaks one of them or both.
enum class Era { unknown, legacy, modern };

// What is said to one server and what its answers mean, in both eras. No IO inside.
//
// A server is greeted before it is asked for anything: discover(), and by what it answers either
// nothing more, or initialize() and initialized(). The era stays known when it is greeted again.
class Protocol {
public:
    explicit Protocol(json::Parser* parser) : parser_(parser) {}

    Era era() const { return era_; }
    // The server says that it will tell when its tools change.
    bool tells_changes() const { return tells_changes_; }

    Outgoing discover();
    // Only a modern server knows the question, or refuses it as modern ones do. From any other
    // answer, or none, nothing is learnt: servers of the legacy era do what they like with it.
    void take_discovery(const Answer& answer);

    Outgoing initialize();
    // An error says what the server does wrong. A server of unknown era that refuses the handshake
    // is taken for a modern one.
    Result<void> take_initialization(const Answer& answer);
    Outgoing initialized();
    // The server is not what it was: another may have taken its place.
    void forget() { era_ = Era::unknown; }

    Outgoing list_tools(std::string_view cursor);
    // The call's arguments are an object. An empty nonce is none.
    Outgoing call_tool(const Tool& tool, const ToolCall& call, std::string_view nonce = {});
    // Tells that nobody waits for that request any more.
    Outgoing cancelled(std::int64_t id, std::string_view reason);
    // Asks a modern server to tell when its tools change. Its answer is not waited for.
    Outgoing listen();

    // What is answered to a request of the server's: a ping, no roots; all else is refused.
    Outgoing answer_to(const Message& request) const;
    // The notification that the tools are not what they were.
    static constexpr std::string_view tools_changed = "notifications/tools/list_changed";

private:
    Outgoing request(std::string_view method, std::string_view params_json);
    void append_meta(std::string& params, std::string_view more_json) const;
    void read_capabilities(const std::string& result_json);

    json::Parser* parser_;
    Era era_ = Era::unknown;
    std::string version_;  // of the legacy era, as agreed; empty before
    bool tells_changes_ = false;
    std::int64_t last_id_ = 0;
};

}  // namespace runnel::tools::mcp
