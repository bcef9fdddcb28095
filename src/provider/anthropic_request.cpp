#include "provider/anthropic_request.hpp"

#include "provider/anthropic_messages.hpp"
#include "provider/anthropic_models.hpp"
#include "provider/anthropic_reasoning.hpp"
#include "provider/anthropic_schema.hpp"
#include "provider/anthropic_thinking.hpp"
#include "provider/anthropic_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace runnel::provider::anthropic {
namespace {

using OutputKind = chat::OutputFormat::Kind;

constexpr std::size_t cache_marks_max = 4;  // the API's own

// There is no mode for any JSON object, so it is asked for in words.
constexpr std::string_view json_instruction =
    "Answer with one JSON object and nothing else: no explanation, no code fence.";

// Fields without an equivalent whose loss leaves the answer what it was.
constexpr std::string_view dropped_fields[] = {
    "seed",       "presence_penalty", "frequency_penalty",  "logit_bias", "min_p",
    "prediction", "prompt_cache_key", "web_search_options", "verbosity",
};

std::string_view field_of(const chat::Request& request, std::string_view name) {
    const auto found = std::ranges::find(request.fields, name, &chat::Field::name);
    if (found == request.fields.end() || found->raw == "null") return {};
    return found->raw;
}

Result<void> refuse_what_is_impossible(const chat::Request& request) {
    if (request.n > 1)
        return fail_at(ErrorKind::unsupported_parameter, "n",
                       "n must be 1: Anthropic gives one answer to a request");
    if (request.sampling.logprobs)
        return fail_at(ErrorKind::unsupported_parameter, "logprobs",
                       "logprobs must be left out: Anthropic gives none");
    return {};
}

void warn_of_what_is_dropped(Draft& draft, const chat::Request& request) {
    for (const std::string_view name : dropped_fields) {
        const std::string_view raw = field_of(request, name);
        if (!raw.empty() && raw != "0" && raw != "0.0" && raw != "{}")
            draft.warn(fmt::format("dropped_{}", name));
    }
}

// The thinking that the conversation carries, message by message.
std::vector<std::string> thinking_of(const chat::Request& request, std::string_view model) {
    std::vector<std::string> thinking(request.messages.size());
    const std::string owner = state_owner(model);
    for (std::size_t i = 0; i < thinking.size(); ++i)
        if (request.messages[i].role == chat::Role::assistant)
            thinking[i] = signed_thinking(request.messages[i], owner);
    return thinking;
}

// True when the last turn with tool calls has lost its thinking, and no other turn has any: then
// the API takes the conversation only without thinking.
bool lost_thinking(const chat::Request& request, const std::vector<std::string>& thinking) {
    const auto called = [](const chat::Message& m) { return !m.tool_calls.empty(); };
    return std::ranges::any_of(request.messages, called) &&
           std::ranges::all_of(thinking, &std::string::empty);
}

void write_thinking(Draft& draft, const Reasoning& reasoning, const chat::Request& request) {
    if (reasoning.mode == Reasoning::Mode::unsaid) return;
    json::Writer writer = draft.writer();
    writer.key("thinking").begin_object().key("type");
    switch (reasoning.mode) {
        case Reasoning::Mode::unsaid: break;
        case Reasoning::Mode::disabled: writer.string("disabled"); break;
        case Reasoning::Mode::budget:
            writer.string("enabled").key("budget_tokens").number(reasoning.budget);
            break;
        case Reasoning::Mode::adaptive: {
            // Said even where it is the default: not every model shows its thinking otherwise.
            const bool shown = request.reasoning.show == chat::ReasoningWish::Show::yes;
            writer.string("adaptive").key("display").string(shown ? "summarized" : "omitted");
            break;
        }
    }
    writer.end_object();
}

void write_output_config(Draft& draft, const Reasoning& reasoning, const chat::Request& request,
                         const Traits& traits) {
    const bool schema = request.output.kind == OutputKind::json_schema && traits.native_schema;
    if (reasoning.effort.empty() && !schema) return;
    json::Writer writer = draft.writer();
    writer.key("output_config").begin_object();
    if (!reasoning.effort.empty()) writer.key("effort").string(reasoning.effort);
    if (schema) {
        draft.keep_form();
        writer.key("format").begin_object().key("type").string("json_schema");
        writer.key("schema").raw(enforceable_schema(request.output.schema_raw)).end_object();
    }
    writer.end_object();
}

void write_sampling(Draft& draft, const chat::Request& request, const Reasoning& reasoning,
                    const Traits& traits) {
    const chat::Sampling& wish = request.sampling;
    const bool refused = traits.sampling == Traits::Sampling::refused || reasoning.on();
    const bool exclusive = traits.sampling == Traits::Sampling::exclusive;
    json::Writer writer = draft.writer();
    if (wish.temperature && refused) draft.warn("dropped_temperature");
    if (wish.temperature && !refused) {
        const double clamped = std::clamp(wish.temperature->value, 0.0, 1.0);
        const bool fits = clamped == wish.temperature->value;
        if (!fits) draft.warn("clamped_temperature");
        writer.key("temperature").raw(fits ? wish.temperature->raw : clamped > 0 ? "1" : "0");
    }
    const bool drops_top_p = refused || (exclusive && wish.temperature);
    if (wish.top_p && drops_top_p) draft.warn("dropped_top_p");
    if (wish.top_p && !drops_top_p) writer.key("top_p").raw(wish.top_p->raw);
    if (wish.top_k && refused) draft.warn("dropped_top_k");
    if (wish.top_k && !refused) writer.key("top_k").raw(wish.top_k->raw);
}

void write_stop(Draft& draft, const std::vector<std::string>& stop) {
    const auto usable = [](const std::string& s) {
        return s.find_first_not_of(" \t\r\n") != std::string::npos;
    };
    if (!std::ranges::all_of(stop, usable)) draft.warn("dropped_stop");
    if (std::ranges::none_of(stop, usable)) return;
    json::Writer writer = draft.writer();
    writer.key("stop_sequences").begin_array();
    for (const std::string& sequence : stop)
        if (usable(sequence)) writer.string(sequence);
    writer.end_array();
}

// The API refuses what identifies a person.
bool is_opaque(std::string_view user) {
    if (user.find('@') != std::string_view::npos || user.size() > 256) return false;
    const bool phone_like = user.find_first_not_of("+0123456789 ()-.") == std::string_view::npos;
    return !phone_like || user.find_first_of("+ ()") == std::string_view::npos;
}

void write_identity(Draft& draft, const chat::Request& request) {
    json::Writer writer = draft.writer();
    if (!request.user.empty() && !is_opaque(request.user)) draft.warn("dropped_user");
    if (!request.user.empty() && is_opaque(request.user))
        writer.key("metadata").begin_object().key("user_id").string(request.user).end_object();
    const std::string_view tier = field_of(request, "service_tier");
    if (tier == R"("auto")") {
        writer.key("service_tier").string("auto");
    } else if (tier == R"("default")") {
        writer.key("service_tier").string("standard_only");
    } else if (!tier.empty()) {
        draft.warn("dropped_service_tier");
    }
}

}  // namespace

Result<Draft> write_body(const chat::Request& request, std::string_view model) {
    if (auto possible = refuse_what_is_impossible(request); !possible) return propagate(possible);
    const Traits& traits = traits_of(model);
    auto toolbox = plan_tools(request, traits);
    if (!toolbox) return propagate(toolbox);
    const std::vector<std::string> thinking = thinking_of(request, model);

    Draft draft;
    draft.body().reserve((request.body ? request.body->size() : 0) + 1024);
    warn_of_what_is_dropped(draft, request);
    const bool budget_fits = !toolbox->forced() && !lost_thinking(request, thinking);
    const Reasoning reasoning = plan_reasoning(
        request, traits, budget_fits ? Budgets::possible : Budgets::impossible, draft);

    json::Writer writer = draft.writer();
    writer.begin_object().key("model").string(model);
    writer.key("max_tokens").number(reasoning.max_tokens);
    if (request.streaming == chat::Streaming::yes) writer.key("stream").boolean(true);
    write_thinking(draft, reasoning, request);
    write_output_config(draft, reasoning, request, traits);
    write_sampling(draft, request, reasoning, traits);
    write_stop(draft, request.sampling.stop);
    write_identity(draft, request);

    // Prompt caches are made in this order, so the earliest mark is the one that can go.
    write_tools(draft, *toolbox, request, traits);
    const bool any_json = request.output.kind == OutputKind::json_object;
    write_system(draft, request.messages, any_json ? json_instruction : std::string_view());
    const bool prefill = traits.prefill && !reasoning.on();
    auto written =
        write_messages(draft, request.messages, thinking, prefill ? LastTurn::any : LastTurn::user);
    if (!written) return propagate(written);

    // A mark for the whole request counts as one more.
    const std::string_view whole = field_of(request, "cache_control");
    draft.keep_last_marks(whole.empty() ? cache_marks_max : cache_marks_max - 1);
    draft.mark(whole);
    writer.end_object();
    return draft;
}

}  // namespace runnel::provider::anthropic
