#include "chat/request.hpp"

#include <algorithm>
#include <array>

namespace runnel::chat {
namespace {

constexpr std::array<std::string_view, 7> efforts{"none", "minimal", "low", "medium",
                                                  "high", "xhigh",   "max"};

template <class T>
void fill(std::optional<T>& into, const std::optional<T>& from) {
    if (!into) into = from;
}

void fill(Wish& into, Wish from) {
    if (into == Wish::unsaid) into = from;
}

// Texts, lists and views.
template <class T>
    requires requires(T& value) { value.empty(); }
void fill(T& into, const T& from) {
    if (into.empty()) into = from;
}

void fill(Sampling& into, const Sampling& from) {
    fill(into.temperature, from.temperature);
    fill(into.top_p, from.top_p);
    fill(into.top_k, from.top_k);
    fill(into.min_p, from.min_p);
    fill(into.presence_penalty, from.presence_penalty);
    fill(into.frequency_penalty, from.frequency_penalty);
    fill(into.seed, from.seed);
    fill(into.stop, from.stop);
    fill(into.logit_bias_raw, from.logit_bias_raw);
    fill(into.logprobs, from.logprobs);
    fill(into.top_logprobs, from.top_logprobs);
}

void fill(ReasoningWish& into, const ReasoningWish& from) {
    // How much is asked for in one way or the other, never in both.
    if (!into.effort && !into.budget_tokens) {
        into.effort = from.effort;
        into.budget_tokens = from.budget_tokens;
        into.effort_is_implied = from.effort_is_implied;
    }
    if (from.show == ReasoningWish::Show::no) into.show = from.show;
    fill(into.summary, from.summary);
}

void fill(GatewayWishes& into, const GatewayWishes& from) {
    fill(into.dialect, from.dialect);
    fill(into.echo_model, from.echo_model);
    fill(into.strict_model, from.strict_model);
    fill(into.fallback, from.fallback);
    fill(into.retries, from.retries);
    fill(into.timeout, from.timeout);
    if (into.tool_events == GatewayWishes::ToolEvents::hidden) into.tool_events = from.tool_events;
    fill(into.servertool_results, from.servertool_results);
    if (into.hold == GatewayWishes::Hold::brief) into.hold = from.hold;
    fill(into.json_only, from.json_only);
    fill(into.response_schema_raw, from.response_schema_raw);
    fill(into.heal_attempts, from.heal_attempts);
    fill(into.builtin_tools, from.builtin_tools);
    fill(into.tool_invocation_explanations, from.tool_invocation_explanations);
    fill(into.guardrails, from.guardrails);
}

}  // namespace

std::string_view find(const Extras& extras, std::string_view name) {
    const auto found = std::ranges::find(extras, name, &Extra::name);
    return found == extras.end() ? std::string_view() : found->raw;
}

Source source_of_url(std::string_view url_escaped) {
    constexpr std::string_view scheme = "data:";
    constexpr std::string_view encoding = ";base64,";
    const std::size_t comma = url_escaped.find(',');
    if (url_escaped.starts_with(scheme) && comma != std::string_view::npos) {
        const std::string_view head = url_escaped.substr(0, comma + 1);
        const std::string_view type =
            head.ends_with(encoding)
                ? head.substr(scheme.size(), head.size() - scheme.size() - encoding.size())
                : std::string_view();
        if (!type.empty() && !type.contains(';') && comma + 1 < url_escaped.size())
            return {.data_escaped = url_escaped.substr(comma + 1), .media_type_escaped = type};
    }
    return {.url_escaped = url_escaped};
}

void append_url(std::string& out, const Source& source) {
    if (source.data_escaped.empty()) {
        out += source.url_escaped;
        return;
    }
    out.append("data:").append(source.media_type_escaped).append(";base64,");
    out += source.data_escaped;
}

std::optional<std::string_view> Part::words() const {
    if (const Text* text = as<Text>()) return text->text_escaped;
    if (const Refusal* refusal = as<Refusal>()) return refusal->text_escaped;
    return std::nullopt;
}

bool Message::has_calls() const { return std::ranges::any_of(parts, &Part::is<ToolCall>); }

void apply_defaults(const Request& defaults, Request* request) {
    fill(request->streaming, defaults.streaming);
    fill(request->include_usage, defaults.include_usage);
    fill(request->n, defaults.n);
    fill(request->tools, defaults.tools);
    if (request->tool_choice.kind == ToolChoice::Kind::absent)
        request->tool_choice = defaults.tool_choice;
    fill(request->parallel_tool_calls, defaults.parallel_tool_calls);
    if (request->output.kind == OutputFormat::Kind::unsaid) request->output = defaults.output;
    fill(request->verbosity, defaults.verbosity);
    fill(request->max_tokens, defaults.max_tokens);
    fill(request->sampling, defaults.sampling);
    fill(request->reasoning, defaults.reasoning);
    fill(request->user, defaults.user);
    fill(request->safety_identifier, defaults.safety_identifier);
    fill(request->metadata_raw, defaults.metadata_raw);
    fill(request->session, defaults.session);
    fill(request->service_tier, defaults.service_tier);
    fill(request->cache, defaults.cache);
    fill(request->gateway, defaults.gateway);
    if (request->api != defaults.api) return;
    for (const Extra& extra : defaults.extras)
        if (find(request->extras, extra.name).empty()) request->extras.push_back(extra);
}

std::string_view name_of(Api api) {
    switch (api) {
        case Api::chat_completions: return "chat";
        case Api::messages: return "messages";
        case Api::responses: return "responses";
        case Api::gemini: return "gemini";
        case Api::completions: return "completions";
        case Api::ollama: return "ollama";
    }
    return "chat";
}

std::string_view name_of(Role role) {
    switch (role) {
        case Role::system: return "system";
        case Role::developer: return "developer";
        case Role::user: return "user";
        case Role::assistant: return "assistant";
        case Role::tool: return "tool";
    }
    return "user";
}

std::string_view name_of(Effort effort) { return efforts[static_cast<std::size_t>(effort)]; }

std::optional<Effort> effort_named(std::string_view name) {
    const auto found = std::ranges::find(efforts, name);
    if (found == efforts.end()) return std::nullopt;
    return static_cast<Effort>(found - efforts.begin());
}

std::int64_t thinking_tokens(Effort effort) {
    switch (effort) {
        case Effort::none: return 0;
        case Effort::minimal:
        case Effort::low: return 1024;
        case Effort::medium: return 2048;
        case Effort::high: return 4096;
        case Effort::xhigh: return 8192;
        case Effort::max: return 16384;
    }
    return 0;
}

// The bounds are those of OpenRouter's table, rounded.
Effort effort_for(std::int64_t thinking_tokens) {
    if (thinking_tokens <= 0) return Effort::none;
    if (thinking_tokens <= 2048) return Effort::low;
    return thinking_tokens <= 8192 ? Effort::medium : Effort::high;
}

}  // namespace runnel::chat
