#pragma once

#include "provider/provider.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::demo {

// What a demo model is going to say. Text is JSON-escaped.
struct Answer {
    struct Call {
        std::string id;
        std::string name;
        std::string arguments;  // JSON, not escaped
    };

    std::string reasoning_escaped{};
    std::string text_escaped{};
    std::vector<Call> calls{};
    std::string_view finish = "stop";
    enum class Failure { none, before, midstream } failure = Failure::none;
    std::int64_t prompt_tokens = 0;
    std::chrono::milliseconds first_pause{20};  // so that one sees the answer come
    std::chrono::milliseconds pause{10};
};

// The pieces of a text that a model would stream, each a word with the space before it. Nothing is
// copied.
std::vector<std::string_view> words_of(std::string_view escaped);

// The answer in OpenAI's words: as a stream of events, or as one body.
Script stream_of(const Answer& answer, std::string_view model);
Script body_of(const Answer& answer, std::string_view model);

}  // namespace runnel::provider::demo
