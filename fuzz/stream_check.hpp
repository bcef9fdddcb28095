#pragma once

#include "check.hpp"

#include <array>

// The streams of every API, as far as any client counts on them.
namespace runnel::fuzz {

// Of the APIs beside chat completions.
inline constexpr std::array<std::string_view, 4> other_dialects = {"messages", "responses",
                                                                   "gemini", "gemini-array"};

inline bool is_json_array(std::string text) {
    return is_json_object("{\"all\":" + std::move(text) + "}");
}

// How a stream of this dialect ends well.
inline bool ends_well(std::string_view dialect, std::string_view last) {
    if (dialect == "messages")
        return last.starts_with("event: message_stop\n") || last.starts_with("event: error\n");
    if (dialect == "gemini")
        return last.contains(R"("finishReason":)") || last.starts_with(R"(data: {"error":)");
    return last == "data: [DONE]";
}

// Where the provider speaks the client's API, what it says goes on as it is: then an end may be
// anything that it takes for one.
enum class Ends { checked, as_told };

// [event: …] data: {…}, again and again, and an end that the dialect has; or one JSON array.
inline void require_well_formed(std::string_view stream, std::string_view dialect = "openai",
                                Ends ends = Ends::checked) {
    if (dialect == "gemini-array") {
        require(stream.starts_with('[') && stream.ends_with("]\n"), "an array", stream);
        require(is_json_array(std::string(stream)), "the stream is a JSON array", stream);
        return;
    }
    constexpr std::string_view prefix = "data: ";
    const bool has_names = dialect == "messages" || dialect == "responses";
    bool has_ended = false;
    for (std::string_view rest = stream; !rest.empty();) {
        require(ends == Ends::as_told || !has_ended, "nothing follows the end", stream);
        const std::size_t end = rest.find("\n\n");
        require(end != std::string_view::npos, "a frame ends with an empty line", stream);
        std::string_view frame = rest.substr(0, end);
        rest.remove_prefix(end + 2);
        has_ended = ends_well(dialect, frame);
        if (has_names && frame.starts_with("event: ")) frame.remove_prefix(frame.find('\n') + 1);
        require(frame.starts_with(prefix), "a frame is data: …", stream);
        frame.remove_prefix(prefix.size());
        require(frame.find_first_of("\r\n") == std::string_view::npos, "a frame is one line",
                stream);
        require(frame == "[DONE]" || is_json_object(std::string(frame)),
                "a frame holds a JSON object", frame);
    }
    require(ends == Ends::as_told || has_ended, "the stream ends well", stream);
}

}  // namespace runnel::fuzz
