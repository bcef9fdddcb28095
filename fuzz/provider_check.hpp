#pragma once

#include "api/registry.hpp"
#include "check.hpp"
#include "cli/transcode.hpp"

namespace runnel::fuzz {

// data: {…} again and again, and data: [DONE] once, at the end.
inline void require_well_formed(std::string_view stream) {
    constexpr std::string_view prefix = "data: ";
    constexpr std::string_view done = "[DONE]";
    bool is_done = false;
    for (std::string_view rest = stream; !rest.empty();) {
        require(!is_done, "nothing follows [DONE]", stream);
        const std::size_t end = rest.find("\n\n");
        require(rest.starts_with(prefix) && end != std::string_view::npos, "a frame is data: …",
                stream);
        const std::string_view payload = rest.substr(prefix.size(), end - prefix.size());
        rest.remove_prefix(end + 2);
        is_done = payload == done;
        require(payload.find_first_of("\r\n") == std::string_view::npos, "a frame is one line",
                stream);
        require(is_done || is_json_object(std::string(payload)), "a frame holds a JSON object",
                payload);
    }
    require(is_done, "the stream ends with [DONE]", stream);
}

// Whatever a provider of this kind sends, however it is cut, the client's stream is the same,
// valid, and ends well.
inline void check_provider(const char* kind, const std::uint8_t* data, std::size_t size) {
    const CutInput input = cut_input(data, size);
    cli::TranscodeOptions options{.from = kind, .include_usage = true};
    const auto whole = cli::transcode(options, input.bytes);
    require(whole.has_value(), "every input has an output");
    require_well_formed(*whole);

    for (const std::string_view name : api::chat_dialect_names().subspan(1)) {
        options.to = name;
        const auto client = cli::transcode(options, input.bytes);
        require(client.has_value(), "every dialect has an output");
        require_well_formed(*client);
    }
    options.to = "openai";

    options.split = input.split;
    const auto cut = cli::transcode(options, input.bytes);
    require(cut.has_value() && *cut == *whole, "cuts do not matter", *cut);

    options.json = true;
    const auto folded = cli::transcode(options, input.bytes);
    require(folded.has_value() && is_json_object(*folded), "the folded answer is a JSON object",
            *folded);

    options.status = 500;
    const auto error = cli::transcode(options, input.bytes);
    require(error.has_value() && is_json_object(*error), "an error body is a JSON object", *error);
}

}  // namespace runnel::fuzz
