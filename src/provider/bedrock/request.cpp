#include "provider/bedrock/request.hpp"

#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/tree.hpp"
#include "provider/anthropic/draft.hpp"
#include "provider/anthropic/ids.hpp"
#include "provider/anthropic/models.hpp"
#include "provider/anthropic/reasoning.hpp"
#include "provider/anthropic/schema.hpp"
#include "provider/anthropic/thinking.hpp"
#include "provider/anthropic/wire.hpp"
#include "provider/bedrock/draft.hpp"
#include "provider/bedrock/messages.hpp"
#include "provider/bedrock/model.hpp"
#include "provider/bedrock/reasoning_state.hpp"
#include "provider/core/inline_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::provider::bedrock {
namespace {

using chat::OutputFormat;
using chat::ToolChoice;
using Family = Model::Family;

constexpr std::size_t cache_points_max = 4;  // the API's own
constexpr std::size_t metadata_entries_max = 16;
constexpr std::size_t metadata_bytes_max = 256;

// There is no mode for any JSON object, so it is asked for in words.
constexpr std::string_view json_instruction =
    "Answer with one JSON object and nothing else: no explanation, no code fence.";

Result<void> refuse_what_is_impossible(const chat::Request& request) {
    if (request.choices() > 1)
        return fail_at(ErrorKind::unsupported_parameter, "n",
                       "n must be 1: Bedrock gives one answer to a request");
    if (request.sampling.logprobs == chat::Wish::yes)
        return fail_at(ErrorKind::unsupported_parameter, "logprobs",
                       "logprobs must be left out: Bedrock gives none");
    return {};
}

// What has no equivalent, and whose loss leaves the answer what it was.
void warn_of_what_is_dropped(Draft& draft, const chat::Request& request) {
    const chat::Sampling& sampling = request.sampling;
    const auto is_set = [](const std::optional<chat::Number>& number) {
        return number && number->value != 0;
    };
    const auto has_extra = [&](std::string_view name) {
        return !find(request.extras, name).empty();
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
        {has_foreign_parts(request), "dropped_content_part"},
    };
    for (const auto& [said, word] : fields)
        if (said) draft.warn(word);
    for (const chat::Tool& tool : request.tools)
        if (tool.kind == chat::Tool::Kind::provider) draft.warn(dropped_tool(tool.type));
}

class RequestBody {
public:
    RequestBody(const chat::Request& request, std::string_view model, const CloudSettings& settings)
        : request_(request),
          settings_(settings),
          draft_(model_named(model)),
          writer_(draft_.writer()),
          traits_(anthropic::traits_of(model)),
          owner_(state_owner(model)) {}

    Result<Body> write() {
        if (auto possible = refuse_what_is_impossible(request_); !possible)
            return propagate(possible);
        draft_.body().reserve((request_.body ? request_.body->size() : 0) + 1024);
        warn_of_what_is_dropped(draft_, request_);
        plan_tools();
        plan_reasoning();
        writer_.begin_object();
        write_inference_config();
        write_output_config();
        write_additional_fields();
        write_guardrail();
        write_service_tier();
        write_metadata();
        write_tools();
        const bool any_json = request_.output.kind == OutputFormat::Kind::json_object;
        write_system(draft_, request_.messages, any_json ? json_instruction : std::string_view());
        const bool prefill = is_claude() && traits_.prefill && !claude_.on();
        auto written = write_messages(draft_, request_.messages, owner_,
                                      prefill ? LastTurn::any : LastTurn::user, request_.cache);
        if (!written) return propagate(written);
        draft_.keep_last_points(cache_points_max);
        writer_.end_object();
        return Body{std::move(draft_.body()), std::move(draft_.warnings()), form_};
    }

private:
    bool is_claude() const { return draft_.model().is_claude(); }

    void plan_tools() {
        const ToolChoice& choice = request_.tool_choice;
        const bool has_calls = std::ranges::any_of(request_.messages, &chat::Message::has_calls);
        for (const chat::Tool& tool : request_.tools) {
            const bool allowed =
                choice.kind != ToolChoice::Kind::allowed ||
                std::ranges::find(choice.allowed, tool.name) != choice.allowed.end();
            if (tool.kind != chat::Tool::Kind::provider && allowed) tools_.push_back(&tool);
        }
        if (choice.kind == ToolChoice::Kind::none) {
            // There is no word for it. Without tools a conversation with calls would be refused.
            if (!has_calls) tools_.clear();
            if (has_calls && !tools_.empty()) draft_.warn("dropped_tool_choice");
        }
        const bool required = choice.kind == ToolChoice::Kind::required ||
                              (choice.kind == ToolChoice::Kind::allowed &&
                               choice.allowed_mode == ToolChoice::Mode::required);
        if (!tools_.empty() && choice.kind == ToolChoice::Kind::named) {
            forced_ = choice.name;
        } else if (!tools_.empty() && required) {
            must_call_ = true;
        }
        const bool by_schema = request_.output.kind == OutputFormat::Kind::json_schema;
        native_schema_ = by_schema && is_claude() && traits_.native_schema;
        // Other models get the schema as a tool that has to be called; the wire turns its input
        // back into text.
        if (by_schema && !native_schema_ && forced_.empty()) {
            answer_by_tool_ = true;
            if (tools_.empty()) {
                forced_ = anthropic::answer_tool;
            } else {
                must_call_ = true;
            }
        }
        stand_in_ = tools_.empty() && !answer_by_tool_ && has_calls;
    }

    // Claude's own plan is the same here as in its own API.
    void plan_reasoning() {
        if (!is_claude()) return;
        anthropic::Draft words(request_.api);
        const bool budget_fits = !must_call_ && forced_.empty() && !lost_reasoning();
        claude_ = anthropic::plan_reasoning(
            request_, traits_,
            budget_fits ? anthropic::Budgets::possible : anthropic::Budgets::impossible, words);
        for (const std::string& word : words.warnings()) draft_.warn(word);
    }

    // The turns with calls have lost their reasoning: then Claude takes the conversation only
    // without any.
    bool lost_reasoning() const {
        const auto carries_some = [&](const chat::Message& message) {
            return !anthropic::kept_thinking(message, owner_).empty() ||
                   std::ranges::any_of(message.parts, [&](const chat::Part& part) {
                       return signed_reasoning(part, owner_) != nullptr;
                   });
        };
        return std::ranges::any_of(request_.messages, &chat::Message::has_calls) &&
               std::ranges::none_of(request_.messages, carries_some);
    }

    void write_inference_config() {
        const chat::Sampling& wish = request_.sampling;
        const bool refused =
            is_claude() &&
            (traits_.sampling == anthropic::Traits::Sampling::refused || claude_.on());
        const bool exclusive =
            is_claude() && traits_.sampling == anthropic::Traits::Sampling::exclusive;
        const bool drops_top_p = refused || (exclusive && wish.temperature);
        const bool by_budget = claude_.mode == anthropic::Reasoning::Mode::budget;
        std::string config;
        json::Writer writer(config);
        writer.begin_object();
        if (request_.max_tokens || by_budget)
            writer.key("maxTokens")
                .number(is_claude() ? claude_.max_tokens : request_.max_tokens.value_or(0));
        if (wish.temperature && !refused) write_temperature(writer, *wish.temperature);
        if (wish.temperature && refused) draft_.warn("dropped_temperature");
        if (wish.top_p && !drops_top_p) writer.key("topP").raw(wish.top_p->raw);
        if (wish.top_p && drops_top_p) draft_.warn("dropped_top_p");
        write_stop(writer, wish.stop);
        writer.end_object();
        if (config != "{}") writer_.key("inferenceConfig").raw(config);
    }

    void write_temperature(json::Writer& writer, const chat::Number& wish) {
        const double clamped = std::clamp(wish.value, 0.0, 1.0);
        const bool fits = clamped == wish.value;
        if (!fits) draft_.warn("clamped_temperature");
        writer.key("temperature").raw(fits ? wish.raw : clamped > 0 ? "1" : "0");
    }

    void write_stop(json::Writer& writer, const std::vector<std::string>& stop) {
        const auto usable = [](const std::string& s) {
            return s.find_first_not_of(" \t\r\n") != std::string::npos;
        };
        if (!std::ranges::all_of(stop, usable)) draft_.warn("dropped_stop");
        if (std::ranges::none_of(stop, usable)) return;
        writer.key("stopSequences").begin_array();
        for (const std::string& sequence : stop)
            if (usable(sequence)) writer.string(sequence);
        writer.end_array();
    }

    void write_output_config() {
        if (!native_schema_) return;
        form_ = timeline::Started::Form::kept;
        const OutputFormat& output = request_.output;
        writer_.key("outputConfig").begin_object().key("textFormat").begin_object();
        writer_.key("type").string("json_schema").key("structure").begin_object();
        writer_.key("jsonSchema").begin_object();
        // Here a schema is a text.
        writer_.key("schema").string(anthropic::enforceable_schema(output.schema_raw));
        if (!output.name.empty())
            writer_.key("name").string(ToolNames(tool_name_rule).sent(output.name));
        if (!output.description_escaped.empty())
            writer_.key("description").escaped(output.description_escaped);
        writer_.end_object().end_object().end_object().end_object();
    }

    // What only the model has a word for.
    void write_additional_fields() {
        std::string fields;
        json::Writer writer(fields);
        writer.begin_object();
        write_reasoning(writer);
        write_top_k(writer);
        writer.end_object();
        if (fields != "{}") writer_.key("additionalModelRequestFields").raw(fields);
    }

    void write_reasoning(json::Writer& writer) {
        if (is_claude()) return write_claude_reasoning(writer);
        const auto& wish = request_.reasoning;
        if (!wish.effort && !wish.budget_tokens) return;
        if (!draft_.model().thinks) {
            if (wish.effort != chat::Effort::none) draft_.warn("dropped_reasoning_effort");
            return;
        }
        const chat::Effort effort =
            wish.effort.value_or(chat::effort_for(wish.budget_tokens.value_or(0)));
        if (draft_.model().family == Family::gpt_oss) {
            writer.key("reasoning_effort").string(one_of_three(effort));
            return;
        }
        writer.key("reasoningConfig").begin_object();
        if (effort == chat::Effort::none) {
            writer.key("type").string("disabled").end_object();
        } else {
            writer.key("type").string("enabled");
            writer.key("maxReasoningEffort").string(one_of_three(effort)).end_object();
        }
    }

    static std::string_view one_of_three(chat::Effort effort) {
        if (effort <= chat::Effort::low) return "low";
        return effort == chat::Effort::medium ? "medium" : "high";
    }

    void write_claude_reasoning(json::Writer& writer) {
        using Mode = anthropic::Reasoning::Mode;
        if (claude_.mode == Mode::unsaid) return;
        writer.key("thinking").begin_object().key("type");
        if (claude_.mode == Mode::disabled) {
            writer.string("disabled");
        } else if (claude_.mode == Mode::budget) {
            writer.string("enabled").key("budget_tokens").number(claude_.budget);
        } else {
            const bool shown = request_.reasoning.show == chat::ReasoningWish::Show::yes;
            writer.string("adaptive").key("display").string(shown ? "summarized" : "omitted");
        }
        writer.end_object();
        if (!claude_.effort.empty())
            writer.key("output_config")
                .begin_object()
                .key("effort")
                .string(claude_.effort)
                .end_object();
    }

    void write_top_k(json::Writer& writer) {
        const auto& top_k = request_.sampling.top_k;
        if (!top_k) return;
        const bool refused =
            is_claude() &&
            (traits_.sampling == anthropic::Traits::Sampling::refused || claude_.on());
        const Family family = draft_.model().family;
        if (!refused && (family == Family::claude || family == Family::mistral)) {
            writer.key("top_k").raw(top_k->raw);
        } else if (family == Family::nova) {
            writer.key("inferenceConfig").begin_object().key("topK").raw(top_k->raw).end_object();
        } else {
            draft_.warn("dropped_top_k");
        }
    }

    void write_guardrail() {
        if (settings_.guardrail.empty()) return;
        writer_.key("guardrailConfig").begin_object();
        writer_.key("guardrailIdentifier").string(settings_.guardrail);
        writer_.key("guardrailVersion").string(settings_.guardrail_version).end_object();
    }

    void write_service_tier() {
        const std::string& tier = request_.service_tier;
        if (tier.empty() || tier == "auto" || tier == "standard_only") return;
        if (tier != "default" && tier != "priority" && tier != "flex")
            return draft_.warn("dropped_service_tier");
        writer_.key("serviceTier").begin_object().key("type").string(tier).end_object();
    }

    // Bedrock takes fewer characters than OpenAI's metadata may have.
    static bool is_metadata(std::string_view text) {
        return text.size() <= metadata_bytes_max && std::ranges::all_of(text, [](char c) {
                   const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
                   return is_letter || (c >= '0' && c <= '9') ||
                          std::string_view(" :_@$#=/+,-.").contains(c);
               });
    }

    void write_metadata() {
        if (request_.metadata_raw.empty()) return;
        const auto metadata = json::read_tree(request_.metadata_raw);
        if (!metadata || metadata->members.empty()) return;
        const auto fits = [](const json::Node::Member& member) {
            return !member.first.empty() && is_metadata(member.first) &&
                   member.second.is_string() && is_metadata(member.second.text());
        };
        if (metadata->members.size() > metadata_entries_max ||
            !std::ranges::all_of(metadata->members, fits))
            return draft_.warn("dropped_metadata");
        writer_.key("requestMetadata").raw(request_.metadata_raw);
    }

    void write_tools() {
        if (tools_.empty() && !answer_by_tool_ && !stand_in_) return;
        writer_.key("toolConfig").begin_object().key("tools").begin_array();
        for (const chat::Tool* tool : tools_) write_tool(*tool);
        if (answer_by_tool_)
            write_tool_spec(anthropic::answer_tool,
                            "Gives the answer to the user. Call it once, at the end.",
                            schema_of(request_.output.schema_raw), {});
        if (stand_in_) write_tool_spec("unavailable", "Not available.", schema_of(""), {});
        writer_.end_array();
        if (!forced_.empty()) {
            writer_.key("toolChoice").begin_object().key("tool").begin_object();
            writer_.key("name")
                .string(ToolNames(tool_name_rule).sent(forced_))
                .end_object()
                .end_object();
        } else if (must_call_) {
            writer_.key("toolChoice").raw(R"({"any":{}})");
        } else if (request_.tool_choice.kind == ToolChoice::Kind::automatic) {
            writer_.key("toolChoice").raw(R"({"auto":{}})");
        }
        writer_.end_object();
    }

    void write_tool(const chat::Tool& tool) {
        const bool strict = tool.strict == true && tool.kind == chat::Tool::Kind::function &&
                            is_claude() && traits_.native_schema;
        if (tool.strict == true && !strict) draft_.warn("dropped_strict");
        std::string schema;
        if (tool.kind == chat::Tool::Kind::custom) {
            // Free-form input has no equivalent.
            schema =
                R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"]})";
        } else if (strict) {
            schema = anthropic::enforceable_schema(schema_of(tool.parameters_raw));
        } else {
            schema = schema_of(tool.parameters_raw);
        }
        write_tool_spec(tool.name, json::unescaped(tool.description_escaped), schema, strict);
        // Nova keeps no tools.
        if (is_claude()) draft_.cache_point(tool.cache);
    }

    void write_tool_spec(std::string_view name, std::string_view description,
                         std::string_view schema, std::optional<bool> strict) {
        writer_.begin_object().key("toolSpec").begin_object();
        writer_.key("name").string(ToolNames(tool_name_rule).sent(name));
        if (!description.empty()) writer_.key("description").string(description);
        writer_.key("inputSchema").begin_object().key("json").raw(schema).end_object();
        if (strict == true) writer_.key("strict").boolean(true);
        writer_.end_object().end_object();
    }

    static std::string schema_of(std::string_view raw) { return anthropic::object_schema(raw); }

    const chat::Request& request_;
    const CloudSettings& settings_;
    Draft draft_;
    json::Writer writer_;
    const anthropic::Traits& traits_;
    std::string owner_;
    anthropic::Reasoning claude_{};
    std::vector<const chat::Tool*> tools_;
    std::string forced_;  // the tool that has to be called
    bool must_call_ = false;
    bool native_schema_ = false;
    bool answer_by_tool_ = false;
    // The conversation has calls, but the client sent no tools: the API wants some nevertheless.
    bool stand_in_ = false;
    timeline::Started::Form form_ = timeline::Started::Form::free;
};

}  // namespace

Result<Body> write_converse_body(const chat::Request& request, std::string_view model,
                                 const CloudSettings& settings) {
    return RequestBody(request, model, settings).write();
}

}  // namespace runnel::provider::bedrock
