#include "provider/ollama/request.hpp"

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "provider/core/inline_data.hpp"
#include "provider/core/warnings.hpp"
#include "provider/ollama/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::provider::ollama {
namespace {

using chat::OutputFormat;
using chat::ToolChoice;

class RequestBody {
public:
    RequestBody(const chat::Request& request, std::string_view model)
        : request_(request),
          model_(model),
          writer_(body_.text) {}

    Result<Body> write() {
        if (auto possible = refuse_what_is_impossible(); !possible) return propagate(possible);
        body_.text.reserve((request_.body ? request_.body->size() : 0) + 1024);
        warn_of_what_is_dropped();
        writer_.begin_object().key("model").string(model_);
        auto messages = write_messages(body_.text, request_, tool_instruction());
        if (!messages) return propagate(messages);
        // Ollama streams unless told not to.
        writer_.key("stream").boolean(request_.streams());
        write_tools();
        write_format();
        write_think();
        write_options();
        writer_.end_object();
        return std::move(body_);
    }

private:
    Result<void> refuse_what_is_impossible() const {
        if (request_.choices() > 1)
            return fail_at(ErrorKind::unsupported_parameter, "n",
                           "n must be 1: Ollama gives one answer to a request");
        if (request_.sampling.logprobs == chat::Wish::yes)
            return fail_at(ErrorKind::unsupported_parameter, "logprobs",
                           "logprobs must be left out: Ollama's own API gives none");
        for (std::size_t i = 0; i < request_.tools.size(); ++i)
            if (request_.tools[i].kind == chat::Tool::Kind::custom)
                return fail_at(
                    ErrorKind::unsupported_parameter, fmt::format("tools[{}]", i),
                    fmt::format("tools[{}] must be a function: Ollama takes no other tools", i));
        return {};
    }

    // What has no equivalent, and whose loss leaves the answer what it was.
    void warn_of_what_is_dropped() {
        const auto extra = [&](std::string_view name) {
            return !chat::find(request_.extras, name).empty();
        };
        const std::string_view bias = request_.sampling.logit_bias_raw;
        const std::pair<bool, std::string_view> losses[] = {
            {!bias.empty() && bias != "{}", "logit_bias"},
            {extra("prediction"), "prediction"},
            {!request_.session.empty(), "prompt_cache_key"},
            {!request_.service_tier.empty(), "service_tier"},
            {!request_.verbosity.empty(), "verbosity"},
            {extra("web_search_options"), "web_search_options"},
            {has_foreign_parts(request_), "content_part"},
        };
        for (const auto& [is_said, name] : losses)
            if (is_said) add_warning(body_.warnings, dropped(name));
        for (const chat::Tool& tool : request_.tools)
            if (tool.kind == chat::Tool::Kind::provider)
                add_warning(body_.warnings, dropped_tool(tool.type));
    }

    bool may_call(const chat::Tool& tool) const {
        if (tool.kind == chat::Tool::Kind::provider) return false;
        const ToolChoice& choice = request_.tool_choice;
        switch (choice.kind) {
            case ToolChoice::Kind::none: return false;
            case ToolChoice::Kind::named: return tool.name == choice.name;
            case ToolChoice::Kind::allowed:
                return std::ranges::find(choice.allowed, tool.name) != choice.allowed.end();
            default: return true;
        }
    }

    std::string tool_instruction() const {
        const ToolChoice& choice = request_.tool_choice;
        if (request_.tools.empty()) return {};
        if (choice.kind == ToolChoice::Kind::named)
            return fmt::format("You must call the tool {} now. Do not answer in any other way.",
                               choice.name);
        const bool required = choice.kind == ToolChoice::Kind::required ||
                              (choice.kind == ToolChoice::Kind::allowed &&
                               choice.allowed_mode == ToolChoice::Mode::required);
        return required ? "You must call one of your tools now. Do not answer in any other way."
                        : "";
    }

    void write_tools() {
        const auto usable = [&](const chat::Tool& tool) { return may_call(tool); };
        if (std::ranges::none_of(request_.tools, usable)) return;
        writer_.key("tools").begin_array();
        for (const chat::Tool& tool : request_.tools) {
            if (!may_call(tool)) continue;
            writer_.begin_object().key("type").string("function").key("function").begin_object();
            writer_.key("name").string(tool.name);
            writer_.key("description").escaped(tool.description_escaped);
            writer_.key("parameters").raw(compact(tool.parameters_raw));
            writer_.end_object().end_object();
        }
        writer_.end_array();
    }

    static std::string compact(std::string_view schema_raw) {
        if (schema_raw.empty()) return R"({"type":"object","properties":{}})";
        std::string out;
        json::append_compact(out, schema_raw);
        return out;
    }

    void write_format() {
        const OutputFormat& output = request_.output;
        if (!output.is_json()) return;
        body_.form = timeline::Started::Form::kept;
        if (output.kind == OutputFormat::Kind::json_schema && !output.schema_raw.empty()) {
            writer_.key("format").raw(compact(output.schema_raw));
        } else {
            writer_.key("format").string("json");
        }
    }

    void write_think() {
        const chat::ReasoningWish& wish = request_.reasoning;
        if (!wish.effort && !wish.budget_tokens) return;
        const bool off =
            wish.effort ? *wish.effort == chat::Effort::none : *wish.budget_tokens <= 0;
        // gpt-oss always thinks, and alone knows how much.
        if (model_.find("gpt-oss") == std::string_view::npos) {
            writer_.key("think").boolean(!off);
        } else {
            writer_.key("think").string(level_of(wish.effort.value_or(chat::Effort::medium)));
        }
    }

    static std::string_view level_of(chat::Effort effort) {
        switch (effort) {
            case chat::Effort::none:
            case chat::Effort::minimal:
            case chat::Effort::low: return "low";
            case chat::Effort::medium: return "medium";
            default: return "high";
        }
    }

    void write_options() {
        std::string options;
        json::Writer w(options);
        w.begin_object();
        const auto number = [&](std::string_view key, const std::optional<chat::Number>& value) {
            if (value) w.key(key).raw(value->raw);
        };
        const chat::Sampling& wish = request_.sampling;
        if (request_.max_tokens) w.key("num_predict").number(*request_.max_tokens);
        number("temperature", wish.temperature);
        number("top_p", wish.top_p);
        number("top_k", wish.top_k);
        number("min_p", wish.min_p);
        number("seed", wish.seed);
        number("presence_penalty", wish.presence_penalty);
        number("frequency_penalty", wish.frequency_penalty);
        if (!wish.stop.empty()) {
            w.key("stop").begin_array();
            for (const std::string& stop : wish.stop) w.string(stop);
            w.end_array();
        }
        write_own_options(w);
        w.end_object();
        if (options != "{}") writer_.key("options").raw(options);
    }

    // Those that only Ollama has, of a client that speaks its API.
    void write_own_options(json::Writer& w) const {
        if (request_.api != chat::Api::ollama) return;
        const std::string_view own = chat::find(request_.extras, "options");
        if (!own.empty()) w.raw(own.substr(1, own.size() - 2));
    }

    const chat::Request& request_;
    std::string_view model_;
    Body body_;
    json::Writer writer_;
};

}  // namespace

Result<Body> write_body(const chat::Request& request, std::string_view model) {
    return RequestBody(request, model).write();
}

}  // namespace runnel::provider::ollama
