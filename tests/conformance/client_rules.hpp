#pragma once

#include <string>
#include <string_view>
#include <vector>

// What a client of each dialect may count on, beyond what all of them have in common.
namespace runnel::conformance {

struct ClientRules {
    std::string_view reasoning_key = "reasoning_content";
    enum class Role { own_chunk, first_chunk } role = Role::own_chunk;
    enum class Usage {
        own_chunk_if_asked,
        on_finish_if_asked,
        on_finish
    } usage = Usage::own_chunk_if_asked;
    enum class Prompt { all_tokens, uncached_tokens } prompt = Prompt::all_tokens;
    enum class Calls { piece_by_piece, whole } calls = Calls::piece_by_piece;
    // A frame with nothing but the error, or a chunk that is the finish.
    enum class Error { bare, chunk } error = Error::bare;
    // Frames about tools that the gateway runs.
    enum class Tools { invisible, server_tool, hybrid, bare } tools = Tools::invisible;
    // Keys that elsewhere would mean that something of a provider leaked.
    std::vector<std::string> own_words{};

    // Chunks have a system_fingerprint, and say null of what they have not got.
    bool is_timeline() const { return tools == Tools::server_tool; }
};

inline ClientRules rules_of(std::string_view dialect) {
    using Rules = ClientRules;
    if (dialect == "timeline")
        return {.reasoning_key = "reasoning",
                .role = Rules::Role::first_chunk,
                .usage = Rules::Usage::on_finish,
                .prompt = Rules::Prompt::uncached_tokens,
                .calls = Rules::Calls::whole,
                .error = Rules::Error::chunk,
                .tools = Rules::Tools::server_tool,
                .own_words = {"reasoning", "system_fingerprint"}};
    if (dialect.starts_with("agent"))
        return {.role = Rules::Role::first_chunk,
                .usage = Rules::Usage::on_finish_if_asked,
                .tools = dialect == "agent" ? Rules::Tools::hybrid : Rules::Tools::bare};
    return {};
}

}  // namespace runnel::conformance
