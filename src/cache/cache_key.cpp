#include "cache/cache_key.hpp"

#include "base/is_in.hpp"
#include "base/sha256.hpp"
#include "json/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

namespace runnel::cache {
namespace {

// These change how an answer travels or who is told of it, but not what it is. The same holds for
// what is typed and not looked at below: who asks, its metadata, its session and service tier, how
// the answer is streamed, and most wishes to the gateway. Who else may give the answer does change
// it: a fallback's answer is for those who asked for one.
constexpr std::array<std::string_view, 4> extras_without_effect{"stream_options", "store",
                                                                "idempotency_key", "load_balance"};

// A request as one text. Each piece has a name and its length before it, so that no two lists of
// pieces read the same; pieces that are empty are as good as none.
class Writing {
public:
    void add(std::string_view name, std::string_view piece) {
        if (!piece.empty()) begin(name, piece);
    }
    template <std::integral Number>
    void add(std::string_view name, const std::optional<Number>& number) {
        if (number) begin(name, fmt::to_string(static_cast<std::int64_t>(*number)));
    }
    void add(std::string_view name, const std::optional<chat::Number>& number) {
        if (number) begin(name, number->raw);
    }
    void add(std::string_view name, const std::optional<chat::CacheMark>& mark) {
        if (mark) begin(name, mark->ttl_escaped);
    }
    template <class Choice>
        requires std::is_enum_v<Choice>
    void add(std::string_view name, Choice choice) {
        add(name, std::optional(static_cast<std::int64_t>(choice)));
    }
    void add(std::string_view name, const std::vector<std::string>& all) {
        for (const std::string& one : all) begin(name, one);
    }
    void add_json(std::string_view name, std::string_view raw) {
        std::string compact;
        json::append_compact(compact, raw);
        add(name, compact);
    }
    void add(const chat::Extras& extras);
    // Something that has pieces of its own begins; it is there even where all of them are empty.
    void begin(std::string_view name, std::string_view piece = {}) {
        text_ += fmt::format("{}:{}:", name, piece.size());
        text_ += piece;
    }

    std::string digest() const { return in_hexadecimal(sha256(text_)); }

private:
    std::string text_;
};

void Writing::add(const chat::Extras& extras) {
    std::vector<const chat::Extra*> sorted;
    for (const chat::Extra& extra : extras)
        if (!is_in(extra.name, extras_without_effect)) sorted.push_back(&extra);
    std::ranges::sort(sorted, {}, [](const chat::Extra* extra) { return extra->name; });
    for (const chat::Extra* extra : sorted) {
        begin("extra", extra->name);
        add_json("value", extra->raw);
    }
}

void add(Writing& out, const chat::Text& text) { out.begin("text", text.text_escaped); }

void add(Writing& out, const chat::Refusal& refusal) { out.begin("refusal", refusal.text_escaped); }

void add(Writing& out, const chat::Source& source) {
    out.add("data", source.data_escaped);
    out.add("media_type", source.media_type_escaped);
    out.add("url", source.url_escaped);
    out.add("file_id", source.file_id_escaped);
}

void add(Writing& out, const chat::Image& image) {
    out.begin("image");
    add(out, image.source);
    out.add("detail", image.detail_escaped);
}

void add(Writing& out, const chat::Audio& audio) {
    out.begin("audio");
    add(out, audio.source);
    out.add("format", audio.format_escaped);
}

void add(Writing& out, const chat::Video& video) {
    out.begin("video");
    add(out, video.source);
}

void add(Writing& out, const chat::File& file) {
    out.begin("file");
    add(out, file.source);
    out.add("plain", file.text_escaped);
    out.add("filename", file.filename_escaped);
    out.add("context", file.context_escaped);
    out.add("citations", file.citations);
}

void add(Writing& out, const chat::Reasoning& reasoning) {
    out.begin("reasoning", reasoning.text_escaped);
    out.add("signature", reasoning.signature_escaped);
    out.add("encrypted", reasoning.encrypted_escaped);
    out.add("id", reasoning.id);
    out.add("issuer", reasoning.issuer);
}

void add(Writing& out, const chat::ToolCall& call) {
    out.begin("call", call.name);
    out.add("kind", call.kind);
    out.add("id", call.id);
    out.add("arguments", call.arguments_escaped);
    out.add_json("arguments_json", call.arguments_raw);
    out.add("signature", call.signature_escaped);
}

void add(Writing& out, const chat::Other& other) {
    out.begin("other", other.type);
    out.add_json("json", other.raw);
}

void add(Writing& out, const chat::Message& message) {
    out.begin("message", chat::name_of(message.role));
    out.add("name", message.name);
    out.add("tool_call_id", message.tool_call_id);
    out.add("failed", message.failed);
    for (const chat::Part& part : message.parts) {
        std::visit([&](const auto& content) { add(out, content); }, part.content);
        out.add("cached", part.cache);
        out.add(part.extras);
    }
    // What follows is the message's own, and not its last part's.
    out.begin("end_of_parts");
    out.add("cached", message.cache);
    out.add(message.extras);
}

void add(Writing& out, const chat::Tool& tool) {
    out.begin("tool", tool.name);
    out.add("kind", tool.kind);
    out.add("type", tool.type);
    out.add("description", tool.description_escaped);
    out.add_json("parameters", tool.parameters_raw);
    out.add_json("format", tool.format_raw);
    out.add("strict", tool.strict);
    out.add("cached", tool.cache);
    out.add(tool.extras);
    out.add_json("json", tool.raw);
}

void add(Writing& out, const chat::ToolChoice& choice) {
    out.begin("tool_choice", choice.name);
    out.add("kind", choice.kind);
    out.add("allowed", choice.allowed);
    out.add("allowed_mode", choice.allowed_mode);
}

void add(Writing& out, const chat::OutputFormat& format) {
    out.begin("output", format.name);
    out.add("kind", format.kind);
    out.add("description", format.description_escaped);
    out.add_json("schema", format.schema_raw);
    out.add("strict", format.strict);
}

void add(Writing& out, const chat::Sampling& sampling) {
    out.add("temperature", sampling.temperature);
    out.add("top_p", sampling.top_p);
    out.add("top_k", sampling.top_k);
    out.add("min_p", sampling.min_p);
    out.add("presence_penalty", sampling.presence_penalty);
    out.add("frequency_penalty", sampling.frequency_penalty);
    out.add("seed", sampling.seed);
    out.add("stop", sampling.stop);
    out.add_json("logit_bias", sampling.logit_bias_raw);
    out.add("logprobs", sampling.logprobs);
    out.add("top_logprobs", sampling.top_logprobs);
}

void add(Writing& out, const chat::ReasoningWish& wish) {
    out.begin("thinking", wish.summary);
    if (wish.effort) out.add("effort", *wish.effort);
    out.add("budget_tokens", wish.budget_tokens);
    out.add("show", wish.show);
    out.add("implied", std::optional(wish.effort_is_implied));
}

void add(Writing& out, const chat::GatewayWishes& wishes) {
    out.begin("gateway");
    out.add("fallback", wishes.fallback);
    out.add("json_only", wishes.json_only);
    out.add_json("response_schema", wishes.response_schema_raw);
    // Not how often: an answer that fits is good for everybody who wants one that does.
    if (wishes.heal_attempts) out.begin("healed");
    out.add("builtin_tools", wishes.builtin_tools);
    out.add("explanations", wishes.tool_invocation_explanations);
}

void add(Writing& out, const chat::Request& request) {
    out.add("api", request.api);
    out.add("n", std::optional(request.choices()));
    for (const chat::Message& message : request.messages) add(out, message);
    for (const chat::Tool& tool : request.tools) add(out, tool);
    add(out, request.tool_choice);
    out.add("parallel_tool_calls", request.parallel_tool_calls);
    add(out, request.output);
    out.add("verbosity", request.verbosity);
    out.add("max_tokens", request.max_tokens);
    add(out, request.sampling);
    add(out, request.reasoning);
    out.add("cached", request.cache);
    add(out, request.gateway);
    out.add(request.extras);
    for (const HeaderField& header : request.headers) {
        out.begin("header", header.name);
        out.add("value", header.value);
    }
}

}  // namespace

std::string cache_key(const chat::Request& request, const CacheScope& scope) {
    Writing writing;
    writing.begin("account", scope.account);
    writing.begin("model", scope.model);
    writing.begin("system", scope.system);
    writing.begin("guardrails", scope.guardrails);
    add(writing, request);
    return writing.digest();
}

bool may_be_cached(const chat::Request& request) {
    return request.tools.empty() && request.gateway.builtin_tools.empty();
}

}  // namespace runnel::cache
