#include "provider/openai/request.hpp"

#include "base/is_in.hpp"
#include "json/writer.hpp"
#include "provider/core/inline_data.hpp"
#include "provider/core/warnings.hpp"
#include "provider/openai/content.hpp"
#include "provider/openai/messages.hpp"
#include "provider/openai/moonshot_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace runnel::provider {
namespace {

using chat::Effort;
using chat::OutputFormat;
using chat::Request;
using chat::Tool;
using chat::ToolChoice;
using chat::Wish;

constexpr std::string_view thinking_off = R"({"type":"disabled"})";

// Extras that are understood here; all others go on as they are.
constexpr std::array<std::string_view, 3> read_extras{"reasoning", "stream_options", "thinking"};

std::string_view type_of(const Tool& tool) {
    return tool.kind == Tool::Kind::custom ? "custom" : "function";
}

bool is_allowed(const Tool& tool, const ToolChoice& choice) {
    return std::ranges::find(choice.allowed, tool.name) != choice.allowed.end();
}

class BodyWriter {
public:
    BodyWriter(const Preset& preset, std::string_view kind, const Request& request,
               std::string_view model)
        : quirks_(preset.request),
          request_(request),
          model_(model),
          owner_(std::string(kind).append("/").append(model)),
          writer_(body_.json),
          content_(&quirks_, &request_, &body_.json),
          names_(quirks_.tool_names) {
        body_.json.reserve((request.body ? request.body->size() : 0) + 1024);
    }

    OpenAiBody write() {
        writer_.begin_object().key("model").string(model_).key("messages");
        MessageWriter(&quirks_, owner_, &request_, &body_.json).write();
        if (has_foreign_parts(request_)) warn("dropped_content_part");
        write_stream();
        write_tools();
        write_output();
        write_sampling();
        write_reasoning();
        write_wishes();
        write_extras();
        writer_.end_object();
        return std::move(body_);
    }

private:
    void write_stream();
    void write_tools();
    void write_tool(const Tool& tool);
    void write_parameters(std::string_view schema);
    void write_tool_choice();
    void write_named_tool(const std::string& name);
    void write_allowed_tools(const ToolChoice& choice);
    void write_output();
    void write_schema(const OutputFormat& output);
    void write_sampling();
    void write_stop(const std::vector<std::string>& stop);
    void write_reasoning();
    void write_effort(Effort effort);
    void write_openrouter_reasoning();
    void write_wishes();
    void write_extras();

    // Begins a field, by the name that the provider has for it; false where it would be refused.
    bool field(std::string_view name);
    bool refuses(std::string_view name) const;
    // A field that only chat completions have; empty: the client did not send it.
    std::string_view extra(std::string_view name) const {
        return speaks_chat(request_) ? chat::find(request_.extras, name) : std::string_view();
    }
    std::optional<Effort> wished_effort() const;
    // The client's own switch, for those who know it.
    std::string_view own_thinking() const;
    bool filters_tools() const;
    bool forces_tools() const;
    void warn(std::string_view word) { add_warning(body_.warnings, word); }

    const RequestQuirks& quirks_;
    const Request& request_;
    std::string_view model_;
    std::string owner_;
    OpenAiBody body_;
    json::Writer writer_;
    ContentWriter content_;
    ToolNames names_;
};

bool BodyWriter::field(std::string_view name) {
    const auto rename = std::ranges::find(quirks_.renamed, name, &Rename::from);
    if (rename != quirks_.renamed.end()) name = rename->to;
    if (refuses(name)) {
        warn(dropped(name));
        return false;
    }
    writer_.key(name);
    return true;
}

bool BodyWriter::refuses(std::string_view name) const {
    if (is_in(name, quirks_.dropped)) return true;
    if (!quirks_.only.empty() && !is_in(name, quirks_.only)) return true;
    if (!speaks_chat(request_) && is_in(name, quirks_.foreign)) return true;
    const auto rule = std::ranges::find_if(
        quirks_.model_rules, [&](const ModelRule& r) { return model_.starts_with(r.prefix); });
    if (rule == quirks_.model_rules.end() || !is_in(name, rule->dropped)) return false;
    return rule->when == ModelRule::Thinking::any ||
           wished_effort().value_or(Effort::none) != Effort::none;
}

void BodyWriter::write_stream() {
    if (!request_.streams()) return;
    writer_.key("stream").boolean(true);
    if (quirks_.usage_option == RequestQuirks::UsageOption::never) return;
    // Usage is always asked for: the gateway counts it even where the client does not want to see
    // it. The client's other options are an object without that one.
    writer_.key("stream_options").begin_object().key("include_usage").boolean(true);
    if (const std::string_view others = extra("stream_options"); others.size() > 2)
        writer_.raw(others.substr(1, others.size() - 2));
    writer_.end_object();
}

void BodyWriter::write_tools() {
    const std::size_t before = body_.json.size();
    writer_.key("tools").begin_array();
    for (const Tool& tool : request_.tools)
        if (!filters_tools() || is_allowed(tool, request_.tool_choice)) write_tool(tool);
    // Several servers refuse an empty list, or a choice from it.
    if (body_.json.ends_with('[')) return body_.json.resize(before);
    writer_.end_array();
    write_tool_choice();
    if (request_.parallel_tool_calls && field("parallel_tool_calls"))
        writer_.boolean(*request_.parallel_tool_calls);
}

void BodyWriter::write_tool(const Tool& tool) {
    if (tool.kind == Tool::Kind::provider) {
        speaks_chat(request_) ? (void)writer_.raw(tool.raw) : warn(dropped_tool(tool.type));
        return;
    }
    const std::string_view type = type_of(tool);
    writer_.begin_object().key("type").string(type).key(type).begin_object();
    writer_.key("name").string(names_.sent(tool.name));
    if (!tool.description_escaped.empty())
        writer_.key("description").escaped(tool.description_escaped);
    if (!tool.parameters_raw.empty()) write_parameters(tool.parameters_raw);
    if (!tool.format_raw.empty()) writer_.key("format").raw(tool.format_raw);
    if (tool.strict) writer_.key("strict").boolean(*tool.strict);
    content_.write_extras(tool.extras);
    writer_.end_object();
    content_.write_mark(tool.cache);
    writer_.end_object();
}

void BodyWriter::write_parameters(std::string_view schema) {
    writer_.key("parameters");
    if (quirks_.schemas == RequestQuirks::Schemas::as_sent) return (void)writer_.raw(schema);
    const MoonshotSchema cleaned = moonshot_schema(schema);
    if (cleaned.lossy) warn("schema_sanitized");
    writer_.raw(cleaned.text);
}

void BodyWriter::write_tool_choice() {
    const ToolChoice& choice = request_.tool_choice;
    if (choice.kind == ToolChoice::Kind::absent) return;
    writer_.key("tool_choice");
    switch (choice.kind) {
        case ToolChoice::Kind::absent: break;
        case ToolChoice::Kind::none: writer_.string("none"); break;
        case ToolChoice::Kind::automatic: writer_.string("auto"); break;
        case ToolChoice::Kind::required: writer_.string(quirks_.required_tool_word); break;
        case ToolChoice::Kind::named: write_named_tool(choice.name); break;
        case ToolChoice::Kind::allowed: write_allowed_tools(choice); break;
    }
}

void BodyWriter::write_named_tool(const std::string& name) {
    const auto tool = std::ranges::find(request_.tools, name, &Tool::name);
    const std::string_view type = tool == request_.tools.end() ? "function" : type_of(*tool);
    writer_.begin_object().key("type").string(type).key(type).begin_object();
    writer_.key("name").string(names_.sent(name)).end_object().end_object();
}

void BodyWriter::write_allowed_tools(const ToolChoice& choice) {
    const bool required = choice.allowed_mode == ToolChoice::Mode::required;
    if (filters_tools()) {
        writer_.string(required ? quirks_.required_tool_word : "auto");
        return;
    }
    writer_.begin_object().key("type").string("allowed_tools").key("allowed_tools").begin_object();
    writer_.key("mode").string(std::string_view(required ? "required" : "auto"));
    writer_.key("tools").begin_array();
    for (const std::string& name : choice.allowed) write_named_tool(name);
    writer_.end_array().end_object().end_object();
}

bool BodyWriter::filters_tools() const {
    return request_.tool_choice.kind == ToolChoice::Kind::allowed &&
           quirks_.allowed_tools == RequestQuirks::AllowedTools::filter;
}

bool BodyWriter::forces_tools() const {
    const ToolChoice& choice = request_.tool_choice;
    return choice.kind == ToolChoice::Kind::required || choice.kind == ToolChoice::Kind::named ||
           (choice.kind == ToolChoice::Kind::allowed &&
            choice.allowed_mode == ToolChoice::Mode::required);
}

void BodyWriter::write_output() {
    const OutputFormat& output = request_.output;
    if (!output.is_json()) return;  // text is the default, and Together refuses to be told
    const bool has_schema = output.kind == OutputFormat::Kind::json_schema;
    const bool instructed =
        has_schema && quirks_.json_schema == RequestQuirks::JsonSchema::instructed;
    if (!instructed) body_.form = timeline::Started::Form::kept;
    writer_.key("response_format").begin_object().key("type");
    has_schema && !instructed ? write_schema(output) : (void)writer_.string("json_object");
    writer_.end_object();
}

void BodyWriter::write_schema(const OutputFormat& output) {
    writer_.string("json_schema").key("json_schema").begin_object();
    // OpenAI wants a name, which not every API asks its clients for.
    writer_.key("name").string(output.name.empty() ? std::string_view("answer") : output.name);
    if (!output.description_escaped.empty())
        writer_.key("description").escaped(output.description_escaped);
    if (quirks_.schemas == RequestQuirks::Schemas::moonshot)
        writer_.key("schema").raw(moonshot_schema(output.schema_raw).text);
    else
        writer_.key("schema").raw(output.schema_raw);
    if (output.strict) writer_.key("strict").boolean(*output.strict);
    writer_.end_object();
}

void BodyWriter::write_sampling() {
    const chat::Sampling& wish = request_.sampling;
    const auto number = [&](std::string_view name, const std::optional<chat::Number>& value) {
        if (value && field(name)) writer_.raw(value->raw);
    };
    number("temperature", wish.temperature);
    number("top_p", wish.top_p);
    number("top_k", wish.top_k);
    number("min_p", wish.min_p);
    number("presence_penalty", wish.presence_penalty);
    number("frequency_penalty", wish.frequency_penalty);
    number("seed", wish.seed);
    if (!wish.stop.empty() && field("stop")) write_stop(wish.stop);
    if (!wish.logit_bias_raw.empty() && field("logit_bias")) writer_.raw(wish.logit_bias_raw);
    if (wish.logprobs != Wish::unsaid && field("logprobs"))
        writer_.boolean(wish.logprobs == Wish::yes);
    if (wish.top_logprobs && field("top_logprobs")) writer_.number(*wish.top_logprobs);
}

void BodyWriter::write_stop(const std::vector<std::string>& stop) {
    if (stop.size() == 1) return (void)writer_.string(stop.front());
    writer_.begin_array();
    for (const std::string& sequence : stop) writer_.string(sequence);
    writer_.end_array();
}

std::optional<Effort> BodyWriter::wished_effort() const {
    if (request_.reasoning.effort) return request_.reasoning.effort;
    if (request_.reasoning.budget_tokens)
        return chat::effort_for(*request_.reasoning.budget_tokens);
    return std::nullopt;
}

void BodyWriter::write_reasoning() {
    if (quirks_.reasoning == RequestQuirks::ReasoningField::openrouter)
        return write_openrouter_reasoning();
    const std::string_view thinking = own_thinking();
    if (!thinking.empty()) {
        writer_.key("thinking").raw(thinking);
        // Then an effort that only `thinking` implied has been told already.
        if (!request_.reasoning.effort || request_.reasoning.effort_is_implied) return;
    }
    if (const auto effort = wished_effort()) return write_effort(*effort);
    if (forces_tools() && quirks_.forced_tools == RequestQuirks::ForcedTools::without_thinking)
        writer_.key("thinking").raw(thinking_off);
}

std::string_view BodyWriter::own_thinking() const {
    return quirks_.reasoning == RequestQuirks::ReasoningField::thinking ? extra("thinking")
                                                                        : std::string_view();
}

void BodyWriter::write_effort(Effort effort) {
    const auto rule = std::ranges::find_if(
        quirks_.efforts, [&](const EffortRule& r) { return model_.starts_with(r.prefix); });
    if (rule == quirks_.efforts.end()) {
        if (effort != Effort::none) warn("dropped_reasoning_effort");
        return;
    }
    const std::string_view word = rule->words[static_cast<std::size_t>(effort)];
    if (!word.empty()) {
        writer_.key("reasoning_effort").string(word);
    } else if (effort == Effort::none && own_thinking().empty()) {
        writer_.key("thinking").raw(thinking_off);
    }
}

void BodyWriter::write_openrouter_reasoning() {
    if (const std::string_view own = extra("reasoning"); !own.empty())
        return (void)writer_.key("reasoning").raw(own);
    const chat::ReasoningWish& wish = request_.reasoning;
    const bool hidden = wish.show == chat::ReasoningWish::Show::no;
    if (!wish.effort && !wish.budget_tokens && !hidden) return;
    writer_.key("reasoning").begin_object();
    if (wish.budget_tokens) {
        writer_.key("max_tokens").number(*wish.budget_tokens);
    } else if (wish.effort) {
        writer_.key("effort").string(chat::name_of(*wish.effort));
    }
    if (hidden) writer_.key("exclude").boolean(true);
    writer_.end_object();
}

void BodyWriter::write_wishes() {
    const auto text = [&](std::string_view name, const std::string& value) {
        if (!value.empty() && field(name)) writer_.string(value);
    };
    if (request_.max_tokens) writer_.key(quirks_.max_tokens_field).number(*request_.max_tokens);
    if (request_.n && field("n")) writer_.number(*request_.n);
    text("verbosity", request_.verbosity);
    text("user", request_.user);
    text("safety_identifier", request_.safety_identifier);
    text("prompt_cache_key", request_.session);
    // Anthropic's tiers have other names than OpenAI's.
    if (request_.api != chat::Api::messages)
        text("service_tier", request_.service_tier);
    else if (request_.service_tier == "default")
        warn(dropped("service_tier"));
    content_.write_mark(request_.cache);
}

void BodyWriter::write_extras() {
    if (speaks_chat(request_))
        for (const auto& [name, raw] : request_.extras)
            if (raw != "[]" && !is_in(name, read_extras) && field(name)) writer_.raw(raw);
    for (const Added& added : quirks_.added)
        if (extra(added.name).empty()) writer_.key(added.name).raw(added.raw);
}

}  // namespace

Result<OpenAiBody> write_openai_body(const Preset& preset, std::string_view kind,
                                     const Request& request, std::string_view model) {
    if (request.choices() > 1 && preset.request.choices == RequestQuirks::Choices::one)
        return fail_at(
            ErrorKind::unsupported_parameter, "n",
            fmt::format("{} gives one answer per request; n must be 1", preset.display_name));
    if (auto checked = check_openai_parts(request); !checked) return propagate(checked);
    return BodyWriter(preset, kind, request, model).write();
}

}  // namespace runnel::provider
