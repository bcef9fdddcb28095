#pragma once

#include "api/registry.hpp"
#include "check.hpp"
#include "cli/transcode.hpp"
#include "stream_check.hpp"

namespace runnel::fuzz {

// The same in an API beside chat completions, streamed and whole.
inline void check_other_dialect(std::string_view dialect, cli::TranscodeOptions options,
                                const CutInput& input) {
    options.to = dialect;
    const auto whole = cli::transcode(options, input.bytes);
    require(whole.has_value(), "every dialect has an output");
    const bool is_own = (options.from == "anthropic" && dialect == "messages") ||
                        (options.from == "gemini" && dialect.starts_with("gemini"));
    require_well_formed(*whole, dialect, is_own ? Ends::as_told : Ends::checked);
    options.split = input.split;
    const auto cut = cli::transcode(options, input.bytes);
    require(cut.has_value() && *cut == *whole, "cuts do not matter", *cut);
    options.json = true;
    const auto folded = cli::transcode(options, input.bytes);
    require(folded.has_value() && is_json_object(*folded), "the folded answer is a JSON object",
            *folded);
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
    for (const std::string_view name : other_dialects) check_other_dialect(name, options, input);
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
