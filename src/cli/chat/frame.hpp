#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::cli {

// What one frame of a stream says. What it does not say is empty.
struct ChatFrame {
    struct Tool {  // that the gateway runs
        std::string name;
        std::string arguments;
        std::string state;    // Created, Running, Completed, Failed
        std::string outcome;  // a result as JSON, or why it failed
    };
    struct Usage {
        std::int64_t input = 0;
        std::int64_t output = 0;
    };

    std::string id{};
    std::string model{};
    std::string reasoning{};
    std::string text{};
    std::optional<Tool> tool{};
    std::vector<std::string> calls{};  // tools that the client is to run
    std::optional<Usage> usage{};
    std::string finish{};  // in the words of chat completions
    std::string error{};
};

// A frame that is no JSON says nothing. Chat completions in the dialect `timeline`.
ChatFrame read_chat_frame(std::string_view data);
ChatFrame read_messages_frame(std::string_view data);
ChatFrame read_responses_frame(std::string_view data);
ChatFrame read_gemini_frame(std::string_view data);

}  // namespace runnel::cli
