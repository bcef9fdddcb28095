#include "api/embeddings.hpp"

#include "api/gateway_fields.hpp"
#include "api/request_body.hpp"
#include "base/limits.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

// POST /v1/embeddings, as OpenAI has it.
namespace runnel::api {
namespace {

using operation::Embedding;
using operation::EmbeddingAnswer;
using operation::EmbeddingInput;
using operation::EmbeddingPurpose;
using operation::EmbeddingRequest;

struct EmbeddingReading {
    EmbeddingRequest& embedding;
    chat::Request& request;
};

constexpr std::int64_t token_max = std::numeric_limits<std::int32_t>::max();

bool is_array_of_numbers(Value& value) {
    bool numbers = true;
    const auto read = value.for_each_element([&](std::size_t, Value& element) -> Result<void> {
        numbers = numbers && element.integer(0, token_max).has_value();
        return {};
    });
    return read && numbers;
}

std::unexpected<Error> wrong_input(const Value& value) {
    return value.must_be("a text, an array of texts, an array of tokens (whole numbers), or an "
                         "array of such arrays");
}

Result<void> add_input(const Value& whole, Value& value, std::vector<EmbeddingInput>& inputs) {
    if (inputs.size() == embedding_inputs_max)
        return whole.wrong(
            fmt::format("has more than {} entries; ask in several requests", embedding_inputs_max));
    if (value.is_string()) return store(value.escaped(), inputs.emplace_back().text_escaped);
    if (!value.is_array() || value.raw().find_first_of("0123456789") == std::string_view::npos ||
        !is_array_of_numbers(value))
        return wrong_input(value);
    inputs.emplace_back().tokens_raw = value.raw();
    return {};
}

bool begins_with_number(std::string_view raw_array) {
    const std::size_t first = raw_array.find_first_not_of(" \t\r\n", 1);
    return first != std::string_view::npos && raw_array[first] >= '0' && raw_array[first] <= '9';
}

Result<void> read_input(EmbeddingReading& reading, Value& value) {
    auto& inputs = reading.embedding.inputs;
    if (value.is_string() || (value.is_array() && begins_with_number(value.raw())))
        return add_input(value, value, inputs);
    if (!value.is_array()) return wrong_input(value);
    return value.for_each_element([&](std::size_t, Value& element) -> Result<void> {
        return add_input(value, element, inputs);
    });
}

Result<void> read_encoding(EmbeddingReading& reading, Value& value) {
    auto word = value.text();
    if (!word) return propagate(word);
    if (*word != "float" && *word != "base64")
        return value.wrong(fmt::format("is {}; it can be float or base64", in_quotes(*word)));
    reading.embedding.form = *word == "base64" ? Embedding::Form::base64 : Embedding::Form::numbers;
    return {};
}

constexpr std::array<std::pair<std::string_view, EmbeddingPurpose>, 6> purposes{{
    {"query", EmbeddingPurpose::query},
    {"search_query", EmbeddingPurpose::query},
    {"document", EmbeddingPurpose::document},
    {"search_document", EmbeddingPurpose::document},
    {"classification", EmbeddingPurpose::classification},
    {"clustering", EmbeddingPurpose::clustering},
}};

// Voyage's and Cohere's word, and also kept for those who have more of them.
Result<void> read_purpose(EmbeddingReading& reading, Value& value) {
    auto word = value.text();
    if (!word) return propagate(word);
    const auto* known =
        std::ranges::find(purposes, *word, &std::pair<std::string_view, EmbeddingPurpose>::first);
    if (known != purposes.end()) reading.embedding.purpose = known->second;
    return keep_extra(value, reading.request, reading.request.extras);
}

// What it would fall back to has other numbers for the same words.
Result<void> refuse_fallback(EmbeddingReading&, Value& value) {
    return value.wrong("is not for embeddings: those of two models can't be compared",
                       ErrorKind::unsupported_parameter);
}

using EmbeddingField = KnownField<EmbeddingReading>;
constexpr std::array embedding_fields{
    EmbeddingField{"model", [](EmbeddingReading& r,
                               Value& v) { return store(read_model_name(v), r.request.model); }},
    EmbeddingField{"input", read_input},
    EmbeddingField{"dimensions",
                   [](EmbeddingReading& r, Value& v) {
                       return store(v.integer(1, 1'000'000), r.embedding.dimensions);
                   }},
    EmbeddingField{"encoding_format", read_encoding},
    EmbeddingField{"input_type", read_purpose},
    EmbeddingField{"user",
                   [](EmbeddingReading& r, Value& v) { return store(v.text(), r.request.user); }},
    EmbeddingField{"metadata",
                   [](EmbeddingReading& r, Value& v) { return read_metadata(v, r.request); }},
    EmbeddingField{"fallback", refuse_fallback},
    // Nobody else ever stands in.
    EmbeddingField{
        "strict_model",
        [](EmbeddingReading& r, Value& v) { return read_wish(v, r.request.gateway.strict_model); }},
    EmbeddingField{
        "echo_model",
        [](EmbeddingReading& r, Value& v) { return read_wish(v, r.request.gateway.echo_model); }},
    EmbeddingField{"retries",
                   [](EmbeddingReading& r, Value& v) {
                       return store(v.integer(0, limits::retries_max), r.request.gateway.retries);
                   }},
    EmbeddingField{"timeout", [](EmbeddingReading& r,
                                 Value& v) { return read_timeout(v, r.request.gateway); }},
    EmbeddingField{"guardrails", [](EmbeddingReading& r,
                                    Value& v) { return read_guardrails(v, r.request.gateway); }},
};

Result<void> read_embedding_request(EmbeddingRequest& embedding, json::Parser* parser) {
    RequestBody body;
    EmbeddingReading reading{embedding, embedding.asked};
    if (auto opened = body.open(*embedding.asked.body, parser); !opened) return opened;
    auto read = read_known_fields(embedding_fields, body, embedding.asked, reading);
    if (read && embedding.inputs.empty())
        return fail_at(ErrorKind::missing_required_field, "input",
                       "the request needs input: a text, or an array of texts that is not empty");
    return read;
}

class OpenAiEmbeddings final : public EmbeddingApi {
public:
    std::string_view name() const override { return "embeddings"; }

    Result<EmbeddingRequest> read_request(Incoming incoming, json::Parser* parser) const override {
        if (auto named = check_model_in_path(incoming.model); !named) return propagate(named);
        Result<EmbeddingRequest> request;
        request->asked.body = std::make_unique<std::string>(std::move(incoming.body));
        if (auto read = read_embedding_request(*request, parser); !read) return propagate(read);
        // Some clients name it in the path only.
        if (request->asked.model.empty()) request->asked.model = std::move(incoming.model);
        return request;
    }

    std::string write_answer(const Envelope& envelope,
                             const EmbeddingAnswer& answer) const override {
        std::string body;
        json::Writer out(body);
        std::int64_t index = 0;
        out.begin_object().key("object").string("list").key("data").begin_array();
        for (const Embedding& embedding : answer.embeddings) {
            out.begin_object().key("object").string("embedding").key("index").number(index++);
            out.key("embedding");
            embedding.form == Embedding::Form::base64 ? out.escaped(embedding.text)
                                                      : out.raw(embedding.text);
            out.end_object();
        }
        out.end_array().key("model").string(envelope.model).key("usage").begin_object();
        out.key("prompt_tokens").number(envelope.input_tokens);
        out.key("total_tokens").number(envelope.input_tokens).end_object().end_object();
        return body;
    }
};

}  // namespace

const EmbeddingApi& openai_embeddings() {
    static const OpenAiEmbeddings api;
    return api;
}

}  // namespace runnel::api
