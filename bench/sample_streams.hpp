#pragma once

#include "base/padded.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

// Streams as providers send them, made here so that no files are needed: 20 bytes of text per
// frame.
namespace runnel::bench {

inline constexpr std::string_view sample_text = "the quick brown fox ";

inline std::string openai_frame(std::string_view delta) {
    return fmt::format(R"(data: {{"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",)"
                       R"("object":"chat.completion.chunk","created":1741570283,)"
                       R"("model":"gpt-4o-2024-08-06","system_fingerprint":"fp_44709d6fcb",)"
                       R"("choices":[{{"index":0,"delta":{{{}}},"logprobs":null,)"
                       R"("finish_reason":null}}]}})"
                       "\n\n",
                       delta);
}

inline std::string openai_text_frame() {
    return openai_frame(R"("content":")" + std::string(sample_text) + '"');
}

// `rest` is the JSON after the event's type.
inline std::string anthropic_frame(std::string_view event, std::string_view rest) {
    return fmt::format("event: {0}\ndata: {{\"type\":\"{0}\",{1}}}\n\n", event, rest);
}

inline std::string anthropic_text_frame() {
    return anthropic_frame("content_block_delta",
                           R"("index":0,"delta":{"type":"text_delta","text":")" +
                               std::string(sample_text) + R"("})");
}

// What comes before the text.
inline std::string anthropic_head() {
    return anthropic_frame("message_start",
                           R"("message":{"id":"msg_01XFDUDYJgAACzvnptvVoYEL","type":"message",)"
                           R"("role":"assistant","content":[],"model":"claude-sonnet-4-5",)"
                           R"("stop_reason":null,"stop_sequence":null,)"
                           R"("usage":{"input_tokens":25,"output_tokens":1}})") +
           anthropic_frame("content_block_start",
                           R"("index":0,"content_block":{"type":"text","text":""})");
}

inline std::string repeated(std::string_view piece, int times) {
    std::string all;
    all.reserve(piece.size() * static_cast<std::size_t>(times) + padding_bytes);
    for (int i = 0; i < times; ++i) all += piece;
    return all;
}

}  // namespace runnel::bench
