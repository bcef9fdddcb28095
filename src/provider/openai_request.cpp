#include "provider/openai_request.hpp"

#include "base/is_in.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "provider/json_fields.hpp"
#include "provider/openai_messages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::provider {
namespace {

namespace ondemand = json::ondemand;
using chat::Effort;
using chat::OutputFormat;
using chat::Request;
using chat::ToolChoice;

constexpr std::string_view thinking_off = R"({"type":"disabled"})";

// Anthropic counts thinking in tokens, OpenAI in words; the bounds are those of OpenRouter's table,
// rounded.
Effort effort_for(std::int64_t budget_tokens) {
    if (budget_tokens <= 0) return Effort::none;
    if (budget_tokens <= 2048) return Effort::low;
    return budget_tokens <= 8192 ? Effort::medium : Effort::high;
}

class BodyWriter {
public:
    BodyWriter(const Preset& preset, std::string_view kind, const Request& request,
               std::string_view model)
        : quirks_(preset.request),
          request_(request),
          model_(model),
          owner_(std::string(kind).append("/").append(model)),
          writer_(body_.json) {
        body_.json.reserve((request.body ? request.body->size() : 0) + 1024);
    }

    OpenAiBody write() {
        writer_.begin_object();
        for (const chat::Field& field : request_.fields) write_field(field);
        if (!request_.has("model")) writer_.key("model").string(model_);
        if (!request_.has("messages")) write_messages();
        if (!request_.has("stream")) write_stream();
        if (!request_.has("stream_options")) write_stream_options("{}");
        write_max_tokens();
        write_reasoning();
        for (const Added& added : quirks_.added)
            if (!request_.has(added.name)) writer_.key(added.name).raw(added.raw);
        writer_.end_object();
        return std::move(body_);
    }

private:
    void write_field(const chat::Field& field);
    void write_other(std::string_view name, std::string_view raw);
    void write_messages();
    void write_stream();
    void write_stream_options(std::string_view raw);
    void write_max_tokens();
    void write_reasoning();
    void write_effort(Effort effort);
    void write_openrouter_reasoning();
    void write_tools(std::string_view raw);
    void write_tool(std::string_view raw);
    void write_tool_choice(std::string_view raw);
    void write_response_format(std::string_view raw);

    bool refuses(std::string_view name) const;
    std::optional<Effort> wished_effort() const;
    bool filters_tools() const;
    bool forces_tools() const;
    void warn(std::string_view what) { body_.warnings.emplace_back(what); }
    // Parses JSON of the client's that must be looked into; the value lives until the next call.
    bool parse(std::string_view raw, ondemand::object& out);

    const RequestQuirks& quirks_;
    const Request& request_;
    std::string_view model_;
    std::string owner_;
    OpenAiBody body_;
    json::Writer writer_;
    json::Parser parser_;
    std::string padded_;
    ondemand::document document_;
    bool max_tokens_written_ = false;
    bool reasoning_written_ = false;
};

void BodyWriter::write_field(const chat::Field& field) {
    const std::string_view name = field.name;
    if (name == "model") return (void)writer_.key(name).string(model_);
    if (name == "messages") return write_messages();
    if (name == "stream") return write_stream();
    if (name == "stream_options") return write_stream_options(field.raw);
    if (name == "max_tokens" || name == "max_completion_tokens") return write_max_tokens();
    if (name == "reasoning_effort" || name == "reasoning" || name == "thinking")
        return write_reasoning();
    if (name == "tools") return write_tools(field.raw);
    if (name == "tool_choice") return write_tool_choice(field.raw);
    if (name == "response_format") return write_response_format(field.raw);
    // Ours, or kept for our log: neither goes on.
    if (chat::is_gateway_field(name) || name == "metadata") return;
    write_other(name, field.raw);
}

void BodyWriter::write_other(std::string_view name, std::string_view raw) {
    const auto rename = std::ranges::find(quirks_.renamed, name, &Rename::from);
    if (rename != quirks_.renamed.end()) name = rename->to;
    if (raw == "null" || raw == "[]") return;
    if (refuses(name)) return warn(fmt::format("dropped_{}", name));
    writer_.key(name).raw(raw);
}

bool BodyWriter::refuses(std::string_view name) const {
    if (is_in(name, quirks_.dropped)) return true;
    if (!quirks_.only.empty() && !is_in(name, quirks_.only)) return true;
    const auto rule = std::ranges::find_if(
        quirks_.model_rules, [&](const ModelRule& r) { return model_.starts_with(r.prefix); });
    if (rule == quirks_.model_rules.end() || !is_in(name, rule->dropped)) return false;
    return rule->when == ModelRule::Thinking::any ||
           wished_effort().value_or(Effort::none) != Effort::none;
}

void BodyWriter::write_messages() {
    writer_.key("messages");
    MessageWriter(&quirks_, owner_, &body_.json).write(request_);
}

void BodyWriter::write_stream() {
    if (request_.streaming == chat::Streaming::yes) writer_.key("stream").boolean(true);
}

void BodyWriter::write_stream_options(std::string_view raw) {
    if (request_.streaming == chat::Streaming::no ||
        quirks_.usage_option == RequestQuirks::UsageOption::never)
        return;
    // Usage is always asked for: the gateway counts it even where the client does not want to see
    // it.
    writer_.key("stream_options").begin_object().key("include_usage").boolean(true);
    ondemand::object options;
    if (raw != "{}" && parse(raw, options))
        (void)for_each_field(options, [&](std::string_view name, ondemand::value value) {
            std::string_view option;
            if (name != "include_usage" && json::raw_value(value, option))
                writer_.key(name).raw(option);
        });
    writer_.end_object();
}

void BodyWriter::write_max_tokens() {
    if (std::exchange(max_tokens_written_, true) || !request_.max_tokens) return;
    writer_.key(quirks_.max_tokens_field).number(*request_.max_tokens);
}

std::optional<Effort> BodyWriter::wished_effort() const {
    if (request_.reasoning.effort) return request_.reasoning.effort;
    if (request_.reasoning.budget_tokens) return effort_for(*request_.reasoning.budget_tokens);
    return std::nullopt;
}

void BodyWriter::write_reasoning() {
    if (std::exchange(reasoning_written_, true)) return;
    if (quirks_.reasoning == RequestQuirks::ReasoningField::openrouter)
        return write_openrouter_reasoning();
    const auto thinking = std::ranges::find(request_.fields, "thinking", &chat::Field::name);
    const bool own_thinking = thinking != request_.fields.end() &&
                              quirks_.reasoning == RequestQuirks::ReasoningField::thinking;
    if (own_thinking) writer_.key("thinking").raw(thinking->raw);
    // Then an effort that only `thinking` implied has been told already.
    const bool effort_asked = request_.has("reasoning_effort") || request_.has("reasoning");
    if (own_thinking && !effort_asked) return;
    if (const auto effort = wished_effort()) return write_effort(*effort);
    if (forces_tools() && quirks_.forced_tools == RequestQuirks::ForcedTools::without_thinking)
        writer_.key("thinking").raw(thinking_off);
}

bool BodyWriter::forces_tools() const {
    const ToolChoice& choice = request_.tool_choice;
    return choice.kind == ToolChoice::Kind::required || choice.kind == ToolChoice::Kind::named ||
           (choice.kind == ToolChoice::Kind::allowed &&
            choice.allowed_mode == ToolChoice::Mode::required);
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
    } else if (effort == Effort::none && !request_.has("thinking")) {
        writer_.key("thinking").raw(thinking_off);
    }
}

void BodyWriter::write_openrouter_reasoning() {
    const auto own = std::ranges::find(request_.fields, "reasoning", &chat::Field::name);
    if (own != request_.fields.end()) return (void)writer_.key("reasoning").raw(own->raw);
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

bool BodyWriter::filters_tools() const {
    return request_.tool_choice.kind == ToolChoice::Kind::allowed &&
           quirks_.allowed_tools == RequestQuirks::AllowedTools::filter;
}

void BodyWriter::write_tools(std::string_view raw) {
    const bool strips = quirks_.cache_control == RequestQuirks::CacheControl::strip;
    const auto changed = [&](const chat::Tool& tool) {
        return strips && !tool.cache_control_raw.empty();
    };
    if (!filters_tools() && std::ranges::none_of(request_.tools, changed)) {
        writer_.key("tools").raw(raw);
        return;
    }
    writer_.key("tools").begin_array();
    for (const chat::Tool& tool : request_.tools) {
        const auto& allowed = request_.tool_choice.allowed;
        if (filters_tools() && std::ranges::find(allowed, tool.name) == allowed.end()) continue;
        changed(tool) ? write_tool(tool.raw) : (void)writer_.raw(tool.raw);
    }
    writer_.end_array();
}

// A tool without cache_control, wherever the client put it: beside `function` or in it.
void BodyWriter::write_tool(std::string_view raw) {
    ondemand::object tool;
    if (!parse(raw, tool)) return;
    const auto copy = [&](std::string_view name, ondemand::value value) {
        std::string_view member;
        if (name != "cache_control" && json::raw_value(value, member))
            writer_.key(name).raw(member);
    };
    writer_.begin_object();
    (void)for_each_field(tool, [&](std::string_view name, ondemand::value value) {
        if (name != "function") return copy(name, value);
        writer_.key(name).begin_object();
        (void)for_each_field(value, copy);
        writer_.end_object();
    });
    writer_.end_object();
}

void BodyWriter::write_tool_choice(std::string_view raw) {
    const ToolChoice& choice = request_.tool_choice;
    const bool required = filters_tools() ? choice.allowed_mode == ToolChoice::Mode::required
                                          : choice.kind == ToolChoice::Kind::required;
    if (required) {
        writer_.key("tool_choice").string(quirks_.required_tool_word);
    } else if (filters_tools()) {
        writer_.key("tool_choice").string("auto");
    } else {
        writer_.key("tool_choice").raw(raw);
    }
}

void BodyWriter::write_response_format(std::string_view raw) {
    if (request_.output.kind == OutputFormat::Kind::text)
        return;  // the default; Together refuses it
    const bool instructed = request_.output.kind == OutputFormat::Kind::json_schema &&
                            quirks_.json_schema == RequestQuirks::JsonSchema::instructed;
    if (!instructed) body_.form = timeline::Started::Form::kept;
    writer_.key("response_format").raw(instructed ? R"({"type":"json_object"})" : raw);
}

bool BodyWriter::parse(std::string_view raw, ondemand::object& out) {
    padded_ = raw;
    return !parser_.parse(Padded::of(padded_), document_) && !document_.get_object().get(out);
}

}  // namespace

Result<OpenAiBody> write_openai_body(const Preset& preset, std::string_view kind,
                                     const Request& request, std::string_view model) {
    if (request.n > 1 && preset.request.choices == RequestQuirks::Choices::one)
        return fail_at(
            ErrorKind::unsupported_parameter, "n",
            fmt::format("{} gives one answer per request; n must be 1", preset.display_name));
    return BodyWriter(preset, kind, request, model).write();
}

}  // namespace runnel::provider
