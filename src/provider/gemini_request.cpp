#include "provider/gemini_request.hpp"

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "provider/gemini_contents.hpp"
#include "provider/gemini_model.hpp"
#include "provider/gemini_schema.hpp"
#include "provider/gemini_thinking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace runnel::provider::gemini {
namespace {

using chat::OutputFormat;
using chat::ToolChoice;

constexpr std::size_t stop_sequences_max = 5;

// Fields without an equivalent whose loss leaves the answer what it was.
constexpr std::array<std::string_view, 7> dropped_fields{
    "logit_bias",   "min_p",     "prediction",        "prompt_cache_key",
    "service_tier", "verbosity", "web_search_options"};

// Gemini's own fields, for clients that know whom they talk to.
struct NativeField {
    std::string_view name;
    std::string_view alias;
};
constexpr std::array native_fields{NativeField{"safetySettings", "safety_settings"},
                                   NativeField{"cachedContent", "cached_content"}};

class RequestBody {
public:
    RequestBody(const chat::Request& request, std::string_view model)
        : request_(request),
          model_(model_named(model)),
          owner_(fmt::format("gemini/{}", model)),
          writer_(body_.text) {}

    Result<Body> write() {
        if (auto possible = refuse_what_is_impossible(); !possible) return propagate(possible);
        body_.text.reserve((request_.body ? request_.body->size() : 0) + 1024);
        warn_of_what_is_dropped();
        writer_.begin_object();
        const Audience audience{model_, owner_, format_instruction()};
        auto conversation =
            write_conversation(body_.text, request_.messages, audience, body_.warnings);
        if (!conversation) return propagate(conversation);
        if (auto tools = write_tools(); !tools) return propagate(tools);
        write_tool_choice();
        if (auto config = write_generation_config(); !config) return propagate(config);
        write_native_fields();
        writer_.end_object();
        return std::move(body_);
    }

private:
    Result<void> refuse_what_is_impossible() const {
        if (request_.n > 1)
            return fail_at(ErrorKind::unsupported_parameter, "n",
                           "n must be 1: Gemini gives one answer to a request");
        if (request_.sampling.logprobs)
            return fail_at(ErrorKind::unsupported_parameter, "logprobs",
                           "logprobs must be left out: Gemini gives none");
        return {};
    }

    void warn_of_what_is_dropped() {
        for (const std::string_view name : dropped_fields)
            if (const std::string_view raw = field(name); !raw.empty() && raw != "{}")
                warn(fmt::format("dropped_{}", name));
    }

    Result<void> write_tools() {
        if (request_.tools.empty()) return {};
        writer_.key("tools").begin_array().begin_object().key("functionDeclarations").begin_array();
        for (std::size_t i = 0; i < request_.tools.size(); ++i) {
            const chat::Tool& tool = request_.tools[i];
            if (tool.kind != chat::Tool::Kind::function)
                return fail_at(
                    ErrorKind::unsupported_parameter, fmt::format("tools[{}]", i),
                    fmt::format("tools[{}] must be a function: Gemini takes no other tools", i));
            writer_.begin_object().key("name").string(tool.name);
            if (!tool.description_escaped.empty())
                writer_.key("description").escaped(tool.description_escaped);
            auto written = write_schema("parameters", "parametersJsonSchema", tool.parameters_raw,
                                        PropertyOrder::implied);
            if (!written) {
                written.error().param = fmt::format("tools[{}].function.parameters", i);
                return written;
            }
            writer_.end_object();
        }
        writer_.end_array().end_object().end_array();
        return {};
    }

    // Only the second field can say that a schema contains itself; not every model knows it.
    Result<void> write_schema(std::string_view openapi_key, std::string_view json_schema_key,
                              std::string_view raw, PropertyOrder order) {
        if (raw.empty()) return {};
        auto schema = openapi_schema(raw, order);
        if (!schema) return propagate(schema);
        if (schema->recursive) {
            std::string compact;
            json::append_compact(compact, raw);
            writer_.key(json_schema_key).raw(compact);
            return {};
        }
        if (schema->sanitised) warn("schema_sanitized");
        if (!schema->text.empty()) writer_.key(openapi_key).raw(schema->text);
        return {};
    }

    void write_tool_choice() {
        const ToolChoice& choice = request_.tool_choice;
        if (request_.tools.empty() || choice.kind == ToolChoice::Kind::absent) return;
        writer_.key("toolConfig").begin_object().key("functionCallingConfig").begin_object();
        writer_.key("mode").string(mode_of(choice));
        if (choice.kind == ToolChoice::Kind::named || choice.kind == ToolChoice::Kind::allowed) {
            writer_.key("allowedFunctionNames").begin_array();
            if (choice.kind == ToolChoice::Kind::named) writer_.string(choice.name);
            for (const std::string& name : choice.allowed) writer_.string(name);
            writer_.end_array();
        }
        writer_.end_object().end_object();
    }

    static std::string_view mode_of(const ToolChoice& choice) {
        switch (choice.kind) {
            case ToolChoice::Kind::none: return "NONE";
            case ToolChoice::Kind::required:
            case ToolChoice::Kind::named: return "ANY";
            case ToolChoice::Kind::allowed:
                // AUTO takes no names.
                return choice.allowed_mode == ToolChoice::Mode::required ? "ANY" : "VALIDATED";
            default: return "AUTO";
        }
    }

    Result<void> write_generation_config() {
        std::string config;
        std::swap(config, body_.text);  // written apart, because it may turn out empty
        writer_.begin_object();
        write_sampling();
        write_modalities();
        auto formatted = write_format();
        write_thinking();
        writer_.end_object();
        std::swap(config, body_.text);
        if (!formatted) return formatted;
        if (config != "{}") writer_.key("generationConfig").raw(config);
        return {};
    }

    void write_sampling() {
        const chat::Sampling& wish = request_.sampling;
        if (request_.max_tokens) writer_.key("maxOutputTokens").number(*request_.max_tokens);
        write_number("temperature", wish.temperature);
        write_number("topP", wish.top_p);
        write_number("topK", wish.top_k);
        if (wish.seed) {
            const bool fits = wish.seed->value >= INT32_MIN && wish.seed->value <= INT32_MAX;
            if (fits) write_number("seed", wish.seed);
            if (!fits) warn("dropped_seed");
        }
        write_penalty("presencePenalty", "dropped_presence_penalty", wish.presence_penalty);
        write_penalty("frequencyPenalty", "dropped_frequency_penalty", wish.frequency_penalty);
        if (wish.stop.empty()) return;
        if (wish.stop.size() > stop_sequences_max) warn("dropped_stop");
        writer_.key("stopSequences").begin_array();
        for (std::size_t i = 0; i < std::min(wish.stop.size(), stop_sequences_max); ++i)
            writer_.string(wish.stop[i]);
        writer_.end_array();
    }

    // Older image models draw only where they are asked to, as OpenRouter's clients ask.
    void write_modalities() {
        const std::string_view wanted = field("modalities");
        if (!wanted.contains(R"("image")")) return;
        writer_.key("responseModalities").begin_array();
        if (wanted.contains(R"("text")")) writer_.string("TEXT");
        writer_.string("IMAGE").end_array();
    }

    void write_number(std::string_view key, const std::optional<chat::Number>& number) {
        if (number) writer_.key(key).raw(number->raw);
    }

    void write_penalty(std::string_view key, std::string_view warning,
                       const std::optional<chat::Number>& penalty) {
        if (!penalty || penalty->value == 0) return;
        if (model_.takes_penalties()) {
            write_number(key, penalty);
        } else {
            warn(warning);
        }
    }

    Result<void> write_format() {
        if (request_.output.kind == OutputFormat::Kind::text || formats_by_instruction()) return {};
        body_.form = timeline::Started::Form::kept;
        writer_.key("responseMimeType").string("application/json");
        if (request_.output.kind != OutputFormat::Kind::json_schema) return {};
        auto written = write_schema("responseSchema", "responseJsonSchema",
                                    request_.output.schema_raw, PropertyOrder::spelled_out);
        if (!written) written.error().param = "response_format.json_schema.schema";
        return written;
    }

    bool formats_by_instruction() const {
        return request_.output.kind != OutputFormat::Kind::text && !request_.tools.empty() &&
               !model_.formats_beside_tools();
    }

    // For models that refuse a format beside tools.
    std::string format_instruction() {
        if (!formats_by_instruction()) return {};
        warn("response_format_by_instruction");
        std::string instruction =
            "Unless you call a function, answer with one JSON value and nothing else: no "
            "explanation, no code fence.";
        if (!request_.output.schema_raw.empty()) {
            instruction += " It must match this JSON Schema: ";
            json::append_compact(instruction, request_.output.schema_raw);
        }
        return instruction;
    }

    void write_thinking() {
        const auto thinking = thinking_for(model_, request_.reasoning, request_.max_tokens);
        if (!thinking) {
            const bool asked =
                request_.reasoning.effort.value_or(chat::Effort::none) != chat::Effort::none ||
                request_.reasoning.budget_tokens.value_or(0) > 0;
            if (asked && !model_.thinks) warn("dropped_reasoning_effort");
            return;
        }
        writer_.key("thinkingConfig").begin_object();
        if (thinking->shown) writer_.key("includeThoughts").boolean(true);
        if (thinking->budget) writer_.key("thinkingBudget").number(*thinking->budget);
        if (!thinking->level.empty()) writer_.key("thinkingLevel").string(thinking->level);
        writer_.end_object();
    }

    void write_native_fields() {
        for (const NativeField& native : native_fields) {
            std::string_view raw = field(native.name);
            if (raw.empty()) raw = field(native.alias);
            if (!raw.empty()) writer_.key(native.name).raw(raw);
        }
    }

    // A top-level field as the client sent it; empty for null.
    std::string_view field(std::string_view name) const {
        const auto found = std::ranges::find(request_.fields, name, &chat::Field::name);
        return found == request_.fields.end() || found->raw == "null" ? std::string_view()
                                                                      : found->raw;
    }

    void warn(std::string_view word) {
        if (std::ranges::find(body_.warnings, word) == body_.warnings.end())
            body_.warnings.emplace_back(word);
    }

    const chat::Request& request_;
    Model model_;
    std::string owner_;
    Body body_;
    json::Writer writer_;
};

}  // namespace

Result<Body> write_body(const chat::Request& request, std::string_view model) {
    return RequestBody(request, model).write();
}

}  // namespace runnel::provider::gemini
