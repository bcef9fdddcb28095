#include "dialect/openai_parts.hpp"

#include "json/parser.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace runnel::dialect {
namespace {

using Detail = std::pair<std::string_view, std::optional<std::int64_t>>;

void write_details(json::Writer& writer, std::string_view name, std::span<const Detail> details) {
    bool open = false;
    for (const auto& [key, count] : details) {
        if (!count) continue;
        if (!std::exchange(open, true)) writer.key(name).begin_object();
        writer.key(key).number(*count);
    }
    if (open) writer.end_object();
}

// Adds the tokens of one list (content or refusal) of a logprobs object to those of the ones before
// it.
void append_tokens(std::string& tokens, json::ondemand::object& logprobs, std::string_view list) {
    json::ondemand::array array;
    std::string_view raw;
    if (logprobs.find_field_unordered(list).get_array().get(array) || array.raw_json().get(raw))
        return;
    std::string compact;
    json::append_compact(compact, raw);
    if (compact.size() <= 2) return;
    if (!tokens.empty()) tokens += ',';
    tokens.append(compact, 1, compact.size() - 2);
}

void write_tokens(json::Writer& writer, std::string_view list, const std::string& tokens) {
    writer.key(list);
    if (tokens.empty()) {
        writer.null();
        return;
    }
    writer.begin_array().raw(tokens).end_array();
}

// Inside a stream the client can only be told that the server failed, and whose fault it was: the
// provider's (which it reported itself), a time-out, a lost stream, or ours.
std::string_view code_in_stream(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::upstream_rejected:
        case ErrorKind::upstream_quota:
        case ErrorKind::upstream_rate_limited: return "tool_provider_error";
        default: return shape_of(kind).code;
    }
}

}  // namespace

void append_error_frame(std::string& out, const Error& error) {
    json::Writer writer(out);
    out += "data: ";
    writer.begin_object().key("error").begin_object();
    writer.key("message").string(error.message);
    writer.key("type").string("server_error");
    writer.key("code").string(code_in_stream(error.kind));
    writer.key("param");
    error.param.empty() ? writer.null() : writer.string(error.param);
    writer.end_object().end_object();
    out += "\n\n";
}

void write_usage(json::Writer& writer, const timeline::Usage& usage,
                 ChatStyle::PromptTokens prompt_tokens) {
    const bool all = prompt_tokens == ChatStyle::PromptTokens::all;
    writer.begin_object();
    writer.key("prompt_tokens").number(all ? usage.input() : usage.fresh_input);
    writer.key("completion_tokens").number(usage.output);
    writer.key("total_tokens").number(usage.total());
    const Detail prompt[] = {{"cached_tokens", usage.cache_read},
                             {"cache_write_tokens", usage.cache_write},
                             {"audio_tokens", usage.audio_input}};
    write_details(writer, "prompt_tokens_details", prompt);
    const Detail completion[] = {{"reasoning_tokens", usage.reasoning},
                                 {"audio_tokens", usage.audio_output}};
    write_details(writer, "completion_tokens_details", completion);
    writer.end_object();
}

std::string joined_logprobs(std::span<const std::string> raws) {
    std::string out;
    if (raws.size() == 1) {
        json::append_compact(out, raws.front());
        return out;
    }
    std::string content;
    std::string refusal;
    json::Parser parser;
    for (std::string raw : raws) {
        json::ondemand::document document;
        json::ondemand::object logprobs;
        if (parser.parse(Padded::of(raw), document) || document.get_object().get(logprobs))
            continue;
        append_tokens(content, logprobs, "content");
        append_tokens(refusal, logprobs, "refusal");
    }
    json::Writer writer(out);
    writer.begin_object();
    write_tokens(writer, "content", content);
    write_tokens(writer, "refusal", refusal);
    writer.end_object();
    return out;
}

}  // namespace runnel::dialect
