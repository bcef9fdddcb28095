#pragma once

#include "cli/chat/conversation.hpp"
#include "cli/chat/frame.hpp"
#include "cli/gateway_client.hpp"

#include <span>
#include <string_view>

namespace runnel::cli {

// How one of the gateway's APIs is talked in.
struct ChatTalk {
    std::string_view name;  // the API's
    // The request for the next answer, as a stream.
    GatewayClient::Request (*ask)(const Conversation& conversation);
    // What one of its frames says. One that is no JSON says nothing.
    ChatFrame (*read)(std::string_view data);
};

std::span<const ChatTalk> chat_talks();

}  // namespace runnel::cli
