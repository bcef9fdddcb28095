#include "provider/gemini/request.hpp"

#include "base/is_in.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "provider/core/json_fields.hpp"
#include "provider/core/warnings.hpp"
#include "provider/gemini/contents.hpp"
#include "provider/gemini/model.hpp"
#include "provider/gemini/schema.hpp"
#include "provider/gemini/thinking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace runnel::provider::gemini {
namespace {

using chat::OutputFormat;
using chat::ToolChoice;

constexpr std::size_t stop_sequences_max = 5;

// Gemini's own fields, for clients of chat completions that know whom they talk to.
struct NativeField {
    std::string_view name;
    std::string_view alias;
};
constexpr std::array native_fields{NativeField{"safetySettings", "safety_settings"},
                                   NativeField{"cachedContent", "cached_content"}};

// Of what only Gemini's own API says, these stand in generationConfig, and all else at the top.
constexpr std::array<std::string_view, 9> config_members{
    "responseModalities",    "speechConfig",   "mediaResolution",
    "imageConfig",           "audioTimestamp", "enableEnhancedCivicAnswers",
    "enableAffectiveDialog", "routingConfig",  "modelSelectionConfig"};

// Which Gemini has not.
constexpr std::array<std::string_view, 13> openai_voices{
    "alloy", "ash",  "ballad", "coral",   "echo",  "fable", "nova",
    "onyx",  "sage", "verse",  "shimmer", "marin", "cedar"};

// What a chat completion's `audio` says.
struct WishedAudio {
    std::string voice{};
    std::string format{};  // empty: whatever it comes in
};

WishedAudio read_wished_audio(std::string_view raw) {
    WishedAudio wished;
    if (raw.empty()) return wished;
    std::string text(raw);
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    if (parser.parse(Padded::of(text), document) || document.get_object().get(object))
        return wished;
    for_each_field(object, [&](std::string_view name, json::ondemand::value field) {
        if (name == "voice") json::plain_string(field, wished.voice);
        if (name == "format") json::plain_string(field, wished.format);
    });
    return wished;
}

bool can_have(std::string_view audio_format) {
    return audio_format.empty() || audio_format == "wav" || audio_format == "pcm16";
}

class RequestBody {
public:
    RequestBody(const chat::Request& request, std::string_view model)
        : request_(request),
          model_(model_named(model)),
          owner_(fmt::format("gemini/{}", model)),
          writer_(body_.text),
          wished_(read_wished_audio(chat_field("audio"))) {}

    Result<Body> write() {
        if (auto possible = refuse_what_is_impossible(); !possible) return propagate(possible);
        body_.text.reserve((request_.body ? request_.body->size() : 0) + 1024);
        warn_of_what_is_dropped();
        writer_.begin_object();
        const Audience audience{model_, owner_, format_instruction(), is_native()};
        auto conversation =
            write_conversation(body_.text, request_.messages, audience, body_.warnings);
        if (!conversation) return propagate(conversation);
        if (auto tools = write_tools(); !tools) return propagate(tools);
        write_tool_choice();
        if (auto config = write_generation_config(); !config) return propagate(config);
        write_native_fields();
        write_extras(Place::top);
        writer_.end_object();
        return std::move(body_);
    }

private:
    Result<void> refuse_what_is_impossible() const {
        if (request_.choices() > 1)
            return fail_at(ErrorKind::unsupported_parameter, "n",
                           "n must be 1: Gemini gives one answer to a request");
        if (asks_for_audio() && !can_have(wished_.format))
            return fail_at(ErrorKind::unsupported_parameter, "audio.format",
                           "audio.format must be \"wav\" or \"pcm16\": Gemini gives no other");
        return {};
    }

    // What has no equivalent, and whose loss leaves the answer what it was.
    void warn_of_what_is_dropped() {
        const std::string_view bias = request_.sampling.logit_bias_raw;
        const std::pair<bool, std::string_view> fields[] = {
            {!bias.empty() && bias != "{}", "dropped_logit_bias"},
            {request_.sampling.min_p.has_value(), "dropped_min_p"},
            {!chat_field("prediction").empty(), "dropped_prediction"},
            {!request_.session.empty(), "dropped_prompt_cache_key"},
            {!request_.service_tier.empty(), "dropped_service_tier"},
            {!request_.verbosity.empty(), "dropped_verbosity"},
            {!chat_field("web_search_options").empty(), "dropped_web_search_options"},
        };
        for (const auto& [said, word] : fields)
            if (said) warn(word);
        for (const chat::Tool& tool : request_.tools)
            if (is_provider_tool(tool) && !is_native()) warn(dropped_tool(tool.type));
    }

    // Gemini can run only those that its own API names.
    static bool is_provider_tool(const chat::Tool& tool) {
        return tool.kind == chat::Tool::Kind::provider;
    }
    bool has_functions() const { return !std::ranges::all_of(request_.tools, is_provider_tool); }
    bool has_tools() const { return has_functions() || (is_native() && !request_.tools.empty()); }

    Result<void> write_tools() {
        if (!has_tools()) return {};
        writer_.key("tools").begin_array();
        if (has_functions()) {
            writer_.begin_object().key("functionDeclarations").begin_array();
            for (std::size_t i = 0; i < request_.tools.size(); ++i)
                if (auto written = write_function(i); !written) return written;
            writer_.end_array().end_object();
        }
        for (const chat::Tool& tool : request_.tools)
            if (is_provider_tool(tool) && is_native()) writer_.raw(tool.raw);
        writer_.end_array();
        return {};
    }

    Result<void> write_function(std::size_t index) {
        const chat::Tool& tool = request_.tools[index];
        if (is_provider_tool(tool)) return {};
        if (tool.kind != chat::Tool::Kind::function)
            return fail_at(
                ErrorKind::unsupported_parameter, fmt::format("tools[{}]", index),
                fmt::format("tools[{}] must be a function: Gemini takes no other tools", index));
        writer_.begin_object().key("name").string(names_.sent(tool.name));
        if (!tool.description_escaped.empty())
            writer_.key("description").escaped(tool.description_escaped);
        auto written = write_schema("parameters", "parametersJsonSchema", tool.parameters_raw,
                                    PropertyOrder::implied);
        if (!written) {
            written.error().param = fmt::format("tools[{}].function.parameters", index);
            return written;
        }
        if (is_native())
            for (const chat::Extra& extra : tool.extras) writer_.key(extra.name).raw(extra.raw);
        writer_.end_object();
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
        if (!has_functions() || choice.kind == ToolChoice::Kind::absent) return;
        writer_.key("toolConfig").begin_object().key("functionCallingConfig").begin_object();
        writer_.key("mode").string(mode_of(choice));
        if (choice.kind == ToolChoice::Kind::named || choice.kind == ToolChoice::Kind::allowed) {
            writer_.key("allowedFunctionNames").begin_array();
            if (choice.kind == ToolChoice::Kind::named) writer_.string(names_.sent(choice.name));
            for (const std::string& name : choice.allowed) writer_.string(names_.sent(name));
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
        write_extras(Place::config);
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
        if (wish.logprobs == chat::Wish::yes) {
            writer_.key("responseLogprobs").boolean(true);
            if (wish.top_logprobs.value_or(0) > 0)
                writer_.key("logprobs").number(*wish.top_logprobs);
        }
        if (wish.stop.empty()) return;
        if (wish.stop.size() > stop_sequences_max) warn("dropped_stop");
        writer_.key("stopSequences").begin_array();
        for (std::size_t i = 0; i < std::min(wish.stop.size(), stop_sequences_max); ++i)
            writer_.string(wish.stop[i]);
        writer_.end_array();
    }

    // Older image models draw only where they are asked to, as OpenRouter's clients ask.
    void write_modalities() {
        const std::string_view wanted = chat_field("modalities");
        if (asks_for_audio()) return write_speech();
        if (!wanted.contains(R"("image")")) return;
        writer_.key("responseModalities").begin_array();
        if (wanted.contains(R"("text")")) writer_.string("TEXT");
        writer_.string("IMAGE").end_array();
    }

    bool asks_for_audio() const { return chat_field("modalities").contains(R"("audio")"); }

    // Models that speak do nothing else, though OpenAI's clients ask for the text besides.
    void write_speech() {
        writer_.key("responseModalities").begin_array().string("AUDIO").end_array();
        if (wished_.format == "wav") body_.samples = TurnOptions::Samples::wav;
        if (is_in(wished_.voice, openai_voices)) return warn("dropped_voice");
        if (wished_.voice.empty()) return;
        writer_.key("speechConfig").begin_object().key("voiceConfig").begin_object();
        writer_.key("prebuiltVoiceConfig").begin_object().key("voiceName").string(wished_.voice);
        writer_.end_object().end_object().end_object();
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
        if (!request_.output.is_json() || formats_by_instruction()) return {};
        body_.form = timeline::Started::Form::kept;
        writer_.key("responseMimeType").string("application/json");
        if (request_.output.kind != OutputFormat::Kind::json_schema) return {};
        auto written = write_schema("responseSchema", "responseJsonSchema",
                                    request_.output.schema_raw, PropertyOrder::spelled_out);
        if (!written) written.error().param = "response_format.json_schema.schema";
        return written;
    }

    bool formats_by_instruction() const {
        return request_.output.is_json() && has_tools() && !model_.formats_beside_tools();
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
            std::string_view raw = chat_field(native.name);
            if (raw.empty()) raw = chat_field(native.alias);
            if (!raw.empty()) writer_.key(native.name).raw(raw);
        }
    }

    enum class Place { top, config };

    void write_extras(Place place) {
        if (!is_native()) return;
        for (const chat::Extra& extra : request_.extras)
            if (is_in(extra.name, config_members) == (place == Place::config))
                writer_.key(extra.name).raw(extra.raw);
    }

    // Whether the client speaks this very API.
    bool is_native() const { return request_.api == chat::Api::gemini; }

    // A field that only chat completions have; empty where there is none.
    std::string_view chat_field(std::string_view name) const {
        const bool is_chat = request_.api == chat::Api::chat_completions;
        return is_chat ? find(request_.extras, name) : std::string_view();
    }

    void warn(std::string_view word) { add_warning(body_.warnings, word); }

    const chat::Request& request_;
    Model model_;
    std::string owner_;
    Body body_;
    json::Writer writer_;
    WishedAudio wished_;
    ToolNames names_{tool_name_rule};
};

}  // namespace

Result<Body> write_body(const chat::Request& request, std::string_view model) {
    return RequestBody(request, model).write();
}

}  // namespace runnel::provider::gemini
