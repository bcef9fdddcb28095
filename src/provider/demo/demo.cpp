#include "json/text.hpp"
#include "json/writer.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/inline_data.hpp"
#include "provider/demo/arguments.hpp"
#include "provider/demo/embeddings.hpp"
#include "provider/demo/models.hpp"
#include "provider/demo/script.hpp"
#include "provider/demo/tools.hpp"
#include "provider/openai/embeddings.hpp"
#include "provider/openai/wire.hpp"
#include "provider/operations.hpp"
#include "provider/presets.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

namespace runnel::provider {
namespace {

using demo::Answer;

constexpr std::string_view fixed_answer =
    "This answer comes from a demo model. It needs no key and no network, and it says the same "
    "every "
    "time: whatever reads it today can be tested with it tomorrow.";

// Bytes of what a model would read of a part.
std::size_t bytes_of(const chat::Part& part) {
    if (is_words(part)) {
        std::string words;
        append_words(words, part);
        return words.size();
    }
    if (const auto* reasoning = part.as<chat::Reasoning>()) return reasoning->text_escaped.size();
    if (const auto* call = part.as<chat::ToolCall>())
        return call->name.size() + call->arguments_escaped.size() + call->arguments_raw.size();
    return 1024;  // a picture or the like
}

// Like real ones, four bytes to a token and some around each message.
std::int64_t prompt_tokens_of(const chat::Request& request) {
    constexpr std::size_t bytes_around_message = 24;
    constexpr std::size_t bytes_around_tool = 70;
    std::size_t bytes = 0;
    for (const chat::Message& message : request.messages) {
        bytes += bytes_around_message + chat::name_of(message.role).size();
        for (const chat::Part& part : message.parts) bytes += bytes_of(part);
    }
    for (const chat::Tool& tool : request.tools)
        bytes += bytes_around_tool + tool.name.size() + tool.description_escaped.size() +
                 tool.parameters_raw.size();
    return static_cast<std::int64_t>(bytes / 4 + 1);
}

void think(const chat::Request& request, Answer& answer) {
    if (request.reasoning.effort == chat::Effort::none) return;
    answer.reasoning_escaped = "The user wants to see what a reasoning model streams. First the "
                               "thoughts, then the answer.";
}

bool wants_json(const chat::Request& request) {
    return request.output.is_json() || request.gateway.json_only == chat::Wish::yes ||
           !request.gateway.response_schema_raw.empty();
}

// What would be said in prose, as the JSON that the client wants.
void put_into_json(const chat::Request& request, Answer& answer) {
    const std::string_view own = request.gateway.response_schema_raw;
    const std::string_view schema = own.empty() ? request.output.schema_raw : own;
    std::string value;
    if (schema.empty()) {
        json::Writer(value).begin_object().key("answer").escaped(answer.text_escaped).end_object();
    } else {
        const std::string said = json::unescaped(demo::last_user_text(request));
        value = demo::plausible_value(schema, demo::Question(said));
    }
    answer.text_escaped.clear();
    json::append_escaped(answer.text_escaped, value);
}

// What the model of this name answers; nothing when there is none.
std::optional<Answer> answer_of(std::string_view model, const chat::Request& request) {
    Answer answer;
    answer.prompt_tokens = prompt_tokens_of(request);
    if (model == "echo") {
        answer.text_escaped = demo::last_user_text(request);
        if (answer.text_escaped.empty()) answer.text_escaped = "(there is no text to echo)";
        return answer;
    }
    if (model == "tools" || model == "parallel-tools") {
        demo::use_tools(request, model == "tools" ? demo::Calls::one : demo::Calls::all, answer);
        return answer;
    }
    if (model == "agent") {
        demo::work_in_rounds(request, answer);
        return answer;
    }
    answer.text_escaped = fixed_answer;
    if (model == "text") return answer;
    if (model == "reasoning") {
        think(request, answer);
        return answer;
    }
    if (model == "slow") {
        answer.first_pause = std::chrono::seconds(1);
        answer.pause = std::chrono::milliseconds(250);
        return answer;
    }
    if (model == "error-before") {
        answer.failure = Answer::Failure::before;
        return answer;
    }
    answer.text_escaped = "This answer will not come to its end, because";
    if (model == "error-midstream") {
        answer.failure = Answer::Failure::midstream;
        return answer;
    }
    if (model == "length" || model == "filter") {
        answer.finish = model == "length" ? "length" : "content_filter";
        return answer;
    }
    return std::nullopt;
}

// Text past the client's limit is cut off, as everywhere.
void obey_limit(const chat::Request& request, Answer& answer) {
    if (!request.max_tokens) return;
    const auto words = demo::words_of(answer.text_escaped);
    if (words.size() <= static_cast<std::size_t>(*request.max_tokens)) return;
    std::size_t bytes = 0;
    for (std::int64_t i = 0; i < *request.max_tokens; ++i)
        bytes += words[static_cast<std::size_t>(i)].size();
    answer.text_escaped.resize(bytes);
    answer.finish = "length";
}

class Demo final : public Provider, private Embedder {
public:
    std::string_view origin() const override { return {}; }
    std::string_view display_name() const override { return "Demo"; }

    Result<Outgoing> write_request(const chat::Request& request,
                                   std::string_view model) const override {
        if (request.choices() > 1)
            return fail_at(ErrorKind::unsupported_parameter, "n",
                           "the demo models give one choice only");
        if (model == "embedding")
            return fail_at(ErrorKind::unsupported_parameter, "model",
                           "demo/embedding gives embeddings and does not chat; ask it at "
                           "/v1/embeddings");
        auto answer = answer_of(model, request);
        if (!answer)
            return fail_at(
                ErrorKind::model_not_found, "model",
                fmt::format(
                    "there is no model demo/{}; there are: {}", model,
                    fmt::join(demo_models | std::views::transform(&DemoModel::name), ", ")));
        // The echo says what it hears; a call to a tool is no answer, nor is one that fails.
        const bool answers = answer->failure == Answer::Failure::none && answer->finish == "stop";
        const bool in_json = wants_json(request) && model != "echo" && answers;
        if (in_json) put_into_json(request, *answer);
        obey_limit(request, *answer);
        Outgoing outgoing;
        outgoing.turn = turn_options(model);
        if (in_json) outgoing.form = timeline::Started::Form::kept;
        outgoing.script =
            request.streams() ? demo::stream_of(*answer, model) : demo::body_of(*answer, model);
        return outgoing;
    }

    std::unique_ptr<Wire> make_wire(json::Parser* parser) const override {
        return make_openai_wire(*find_preset("openai"), std::string(display_name()), parser);
    }

    Error read_error(const ErrorReply& reply) const override {
        return to_error(display_name(), read_error_facts(reply));
    }

    TurnOptions turn_options(std::string_view model) const override {
        TurnOptions options;
        options.display_name = display_name();
        options.model = model;
        return options;
    }

    const Embedder* embedder() const override { return this; }

private:
    Limits embedding_limits() const override { return demo::embedding_limits; }
    Result<Outgoing> write_embedding_request(const operation::EmbeddingBatch& batch,
                                             std::string_view model) const override {
        if (model != "embedding")
            return fail_at(ErrorKind::unsupported_parameter, "model",
                           fmt::format("demo/{} gives no embeddings; demo/embedding does", model));
        auto script = demo::embeddings_of(batch);
        if (!script) return propagate(script);
        Outgoing outgoing;
        outgoing.script = std::move(*script);
        return outgoing;
    }
    Result<operation::EmbeddingAnswer> read_embeddings(Padded body,
                                                       json::Parser* parser) const override {
        return read_openai_embeddings(body, display_name(), parser);
    }
};

}  // namespace

std::unique_ptr<Provider> make_demo(const ProviderConfig&) { return std::make_unique<Demo>(); }

}  // namespace runnel::provider
