#include "provider/anthropic/request.hpp"

#include "provider/anthropic/messages.hpp"
#include "provider/anthropic/models.hpp"
#include "provider/anthropic/reasoning.hpp"
#include "provider/anthropic/schema.hpp"
#include "provider/anthropic/thinking.hpp"
#include "provider/anthropic/tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace runnel::provider::anthropic {
namespace {

using OutputKind = chat::OutputFormat::Kind;

constexpr std::size_t cache_marks_max = 4;  // the API's own

// There is no mode for any JSON object, so it is asked for in words.
constexpr std::string_view json_instruction =
    "Answer with one JSON object and nothing else: no explanation, no code fence.";

Result<void> refuse_what_is_impossible(const chat::Request& request) {
    if (request.choices() > 1)
        return fail_at(ErrorKind::unsupported_parameter, "n",
                       "n must be 1: Anthropic gives one answer to a request");
    if (request.sampling.logprobs == chat::Wish::yes)
        return fail_at(ErrorKind::unsupported_parameter, "logprobs",
                       "logprobs must be left out: Anthropic gives none");
    return {};
}

// What has no equivalent, and whose loss leaves the answer what it was.
void warn_of_what_is_dropped(Draft& draft, const chat::Request& request) {
    const chat::Sampling& sampling = request.sampling;
    const auto is_set = [](const std::optional<chat::Number>& number) {
        return number && number->value != 0;
    };
    const auto has_extra = [&](std::string_view name) {
        return !find(request.extras, name).empty() && !draft.is_native();
    };
    const bool has_bias = !sampling.logit_bias_raw.empty() && sampling.logit_bias_raw != "{}";
    const std::pair<bool, std::string_view> fields[] = {
        {is_set(sampling.seed), "dropped_seed"},
        {is_set(sampling.presence_penalty), "dropped_presence_penalty"},
        {is_set(sampling.frequency_penalty), "dropped_frequency_penalty"},
        {has_bias, "dropped_logit_bias"},
        {is_set(sampling.min_p), "dropped_min_p"},
        {has_extra("prediction"), "dropped_prediction"},
        {!request.session.empty(), "dropped_prompt_cache_key"},
        {has_extra("web_search_options"), "dropped_web_search_options"},
        {!request.verbosity.empty(), "dropped_verbosity"},
    };
    for (const auto& [said, word] : fields)
        if (said) draft.warn(word);
}

// True when the last turn with tool calls has lost its thinking, and no other turn has any: then
// the API takes the conversation only without thinking.
bool lost_thinking(const chat::Request& request, std::string_view owner) {
    return std::ranges::any_of(request.messages, &chat::Message::has_calls) &&
           std::ranges::none_of(request.messages, [&](const chat::Message& message) {
               return carries_thinking(message, owner);
           });
}

// A client of this very API has its own words for it, which go on as they are.
bool goes_on(const chat::Request& request, std::string_view field) {
    return request.api == chat::Api::messages && !chat::find(request.extras, field).empty();
}

void write_thinking(Draft& draft, const Reasoning& reasoning, const chat::Request& request) {
    if (reasoning.mode == Reasoning::Mode::unsaid || goes_on(request, "thinking")) return;
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
    if (schema) draft.keep_form();
    if (goes_on(request, "output_config") || (reasoning.effort.empty() && !schema)) return;
    json::Writer writer = draft.writer();
    writer.key("output_config").begin_object();
    if (!reasoning.effort.empty()) writer.key("effort").string(reasoning.effort);
    if (schema) {
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
    const std::string& user = request.end_user();
    const bool is_told = goes_on(request, "metadata");
    if (!is_told && !is_opaque(user)) draft.warn("dropped_user");
    if (!is_told && !user.empty() && is_opaque(user)) {
        writer.key("metadata").begin_object().key("user_id").string(user).end_object();
    }
    const std::string_view tier = request.service_tier;
    if (tier == "auto") {
        writer.key("service_tier").string("auto");
    } else if (tier == "default" || tier == "standard_only") {
        writer.key("service_tier").string("standard_only");
    } else if (!tier.empty()) {
        draft.warn("dropped_service_tier");
    }
}

void write_betas(Draft& draft, const Reseller& reseller) {
    for (const std::string& beta : reseller.betas) draft.need_beta(beta);
    if (draft.betas().empty()) return;
    json::Writer writer = draft.writer();
    writer.key("anthropic_beta").begin_array();
    for (const std::string& beta : draft.betas()) writer.string(beta);
    writer.end_array();
}

}  // namespace

Result<Draft> write_body(const chat::Request& request, std::string_view model,
                         const Reseller* reseller) {
    if (auto possible = refuse_what_is_impossible(request); !possible) return propagate(possible);
    const Traits& traits = traits_of(model);
    const std::string owner = state_owner(model);

    Draft draft(request.api);
    draft.body().reserve((request.body ? request.body->size() : 0) + 1024);
    warn_of_what_is_dropped(draft, request);
    auto toolbox = plan_tools(draft, request, traits);
    if (!toolbox) return propagate(toolbox);
    const bool budget_fits = !toolbox->forced() && !lost_thinking(request, owner);
    const Reasoning reasoning = plan_reasoning(
        request, traits, budget_fits ? Budgets::possible : Budgets::impossible, draft);

    json::Writer writer = draft.writer();
    writer.begin_object();
    if (reseller != nullptr) {
        writer.key("anthropic_version").string(reseller->version);
    } else {
        writer.key("model").string(model);
    }
    writer.key("max_tokens").number(reasoning.max_tokens);
    if (request.streams() && reseller == nullptr) writer.key("stream").boolean(true);
    write_thinking(draft, reasoning, request);
    write_output_config(draft, reasoning, request, traits);
    write_sampling(draft, request, reasoning, traits);
    write_stop(draft, request.sampling.stop);
    write_identity(draft, request);
    draft.add_extras(request.extras);

    // Prompt caches are made in this order, so the earliest mark is the one that can go.
    write_tools(draft, *toolbox, request, traits);
    const bool any_json = request.output.kind == OutputKind::json_object;
    write_system(draft, request.messages, any_json ? json_instruction : std::string_view());
    const bool prefill = traits.prefill && !reasoning.on();
    auto written =
        write_messages(draft, request.messages, owner, prefill ? LastTurn::any : LastTurn::user);
    if (!written) return propagate(written);

    // A mark for the whole request counts as one more.
    draft.keep_last_marks(request.cache ? cache_marks_max - 1 : cache_marks_max);
    draft.mark(request.cache);
    if (reseller != nullptr) write_betas(draft, *reseller);
    writer.end_object();
    return draft;
}

}  // namespace runnel::provider::anthropic
