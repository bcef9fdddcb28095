#include "api/chat/answer_parts.hpp"

#include "json/parser.hpp"
#include "json/text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace runnel::api {
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

std::string_view name_of(timeline::Citation::Kind kind) {
    using Kind = timeline::Citation::Kind;
    switch (kind) {
        case Kind::address: return "address";
        case Kind::characters: return "characters";
        case Kind::pages: return "pages";
        case Kind::blocks: return "blocks";
        case Kind::search_result: return "search_result";
    }
    return "address";
}

enum class Rank { said, alternative };

// SDKs insist on every member of a token that was said.
void write_token(json::Writer& writer, const timeline::TokenLogprob& token, Rank rank) {
    std::string bytes;
    json::append_compact(bytes, token.bytes_raw);
    writer.begin_object().key("token").escaped(token.token);
    writer.key("logprob").raw(token.logprob_raw);
    if (!bytes.empty() || rank == Rank::said)
        writer.key("bytes").raw(bytes.empty() ? "null" : bytes);
    if (rank == Rank::said) {
        writer.key("top_logprobs").begin_array();
        for (const timeline::TokenLogprob& other : token.top)
            write_token(writer, other, Rank::alternative);
        writer.end_array();
    }
    writer.end_object();
}

void write_tokens(json::Writer& writer, const std::string& tokens) {
    if (tokens.empty()) {
        writer.null();
    } else {
        writer.begin_array().raw(tokens).end_array();
    }
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

// Chat clients can't ask a provider to go on with its own work.
std::string_view finish_reason(timeline::Finish finish) {
    return timeline::name_of(finish == timeline::Finish::pause ? timeline::Finish::stop : finish);
}

bool has_annotation(const timeline::Citation& citation) {
    using Kind = timeline::Citation::Kind;
    return citation.kind == Kind::search_result ? citation.url.starts_with("http")
                                                : !citation.url.empty();
}

std::string audio_id(const Envelope& envelope) { return "audio_" + envelope.id; }

void write_citation_members(json::Writer& writer, const timeline::Citation& citation) {
    const auto text = [&](json::Literal name, std::string_view escaped) {
        if (!escaped.empty()) writer.key(name).escaped(escaped);
    };
    const auto number = [&](json::Literal name, std::optional<std::int64_t> value) {
        if (value) writer.key(name).number(*value);
    };
    writer.key("type").string(name_of(citation.kind));
    number("document_index", citation.document);
    text("title", citation.title);
    text("source", citation.url);
    text("file_id", citation.file_id);
    text("cited_text", citation.cited_text);
    number("start", citation.start);
    number("end", citation.end);
    number("text_start", citation.text_start);
    number("text_end", citation.text_end);
}

// Which words the page stands behind is known to few providers; for the others the indexes are 0.
// A quotation is shown where it is all that is known of the place (OpenRouter's `content`).
void write_annotation_members(json::Writer& writer, const timeline::Citation& citation) {
    const bool is_plain_page =
        citation.kind == timeline::Citation::Kind::address && citation.reference.empty();
    writer.key("type").string("url_citation").key("url_citation").begin_object();
    writer.key("start_index").number(citation.text_start.value_or(0));
    writer.key("end_index").number(citation.text_end.value_or(0));
    writer.key("url").escaped(citation.url).key("title").escaped(citation.title);
    if (is_plain_page && !citation.cited_text.empty())
        writer.key("content").escaped(citation.cited_text);
    writer.end_object();
}

void write_image_members(json::Writer& writer, const timeline::Media& image) {
    writer.key("type").string("image_url").key("image_url").begin_object().key("url");
    if (image.url.empty()) {
        std::string type;
        json::append_escaped(type, image.media_type);
        writer.escaped(fmt::format("data:{};base64,{}", type, image.data));
    } else {
        writer.escaped(image.url);
    }
    writer.end_object();
}

void append_tokens(std::string& out, const timeline::Logprobs& event) {
    json::Writer writer(out);
    for (const timeline::TokenLogprob& token : event.tokens) write_token(writer, token, Rank::said);
}

void LogprobsObject::add(const timeline::Logprobs& event) {
    using Of = timeline::Logprobs::Of;
    append_tokens(event.of == Of::text      ? text_
                  : event.of == Of::refusal ? refusal_
                                            : reasoning_,
                  event);
}

void LogprobsObject::write(json::Writer& writer) const {
    writer.begin_object();
    write_tokens(writer.key("content"), text_);
    write_tokens(writer.key("refusal"), refusal_);
    if (!reasoning_.empty()) write_tokens(writer.key("reasoning_content"), reasoning_);
    writer.end_object();
}

void LogprobsObject::clear() {
    text_.clear();
    refusal_.clear();
    reasoning_.clear();
}

}  // namespace runnel::api
