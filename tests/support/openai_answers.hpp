#pragma once

#include "provider/core/answer_reader.hpp"
#include "provider/openai/wire.hpp"
#include "support/timeline_recorder.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

// Answers of the OpenAI-compatible family, and the timelines they are read as.
namespace runnel::testing {

// The timeline as text, its failures, and how many frames nobody could read.
struct Read {
    std::string text;
    std::vector<Error> errors;
    int malformed = 0;
};

inline Read read(std::string bytes, std::string_view kind = "openai",
                 std::size_t piece = std::string::npos) {
    const provider::Preset& preset = *provider::find_preset(kind);
    TimelineRecorder recorder;
    IdSource ids(1);
    json::Parser parser;
    provider::TurnOptions options{.display_name = std::string(preset.display_name),
                                  .think_tags = preset.think_tags};
    provider::AnswerReader reader(
        provider::make_openai_wire(preset, std::string(preset.display_name), &parser), options,
        &recorder, &ids);
    for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size())) {
        std::string part = bytes.substr(at, piece);
        reader.feed(Padded::of(part));
    }
    reader.finish();
    return {recorder.text(), recorder.errors(), reader.turn().malformed_count()};
}

inline std::string text_of(std::string bytes, std::string_view kind = "openai") {
    return read(std::move(bytes), kind).text;
}

inline std::string frames(std::initializer_list<std::string_view> payloads) {
    std::string out;
    for (const std::string_view payload : payloads) out += fmt::format("data: {}\n\n", payload);
    return out;
}

// A chunk whose only choice has this delta, and nothing else.
inline std::string delta(std::string_view fields) {
    return fmt::format(R"(data: {{"choices":[{{"index":0,"delta":{{{}}},"finish_reason":null}}]}})",
                       fields) +
           "\n\n";
}

inline const std::string done = "data: [DONE]\n\n";
inline const std::string stop =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

}  // namespace runnel::testing
