#pragma once

#include <array>
#include <string_view>

namespace runnel::provider {

struct DemoModel {
    std::string_view name;
    std::string_view description;
};

// What demo/<name> does. None of them needs a key or a network, and each says the same every time.
inline constexpr std::array demo_models{
    DemoModel{"echo", "streams the last user message back, word by word"},
    DemoModel{"text", "a fixed answer"},
    DemoModel{"reasoning", "thinks first, then gives a fixed answer"},
    DemoModel{"tools", "calls a tool it is given, then answers from the result"},
    DemoModel{"parallel-tools",
              "calls all tools it is given at once, then answers from the results"},
    DemoModel{
        "agent",
        "thinks, calls the tools that the question is about one after the other, and answers"},
    DemoModel{"slow", "a fixed answer that takes its time"},
    DemoModel{"error-before", "fails before the first token, with an HTTP status"},
    DemoModel{"error-midstream", "fails in the middle of its answer"},
    DemoModel{"length", "ends in mid-sentence with the finish reason length"},
    DemoModel{"filter", "ends with the finish reason content_filter"},
    DemoModel{"embedding", "embeddings (POST /v1/embeddings): texts that share words are near"},
};

}  // namespace runnel::provider
