#pragma once

#include "cli/gateway_client.hpp"

#include <string>

namespace runnel::cli {

struct ChatOptions {
    std::string model{};  // empty: the first that the gateway offers
    std::string system{};
    std::string api = "chat";
    std::string url{default_gateway_url};
    std::string key{};
};

// `runnel chat`: a chat at the terminal. Where stdin or stdout is none, all of stdin is one message
// and its answer is all that is printed. The process's exit status.
int chat(const ChatOptions& options);

}  // namespace runnel::cli
