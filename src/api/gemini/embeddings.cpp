#include "api/embeddings.hpp"

#include "api/gemini/spelling.hpp"
#include "api/request_body.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

// POST /v1beta/models/{model}:embedContent and :batchEmbedContents.
namespace runnel::api {
namespace {

using operation::Embedding;
using operation::EmbeddingAnswer;
using operation::EmbeddingInput;
using operation::EmbeddingPurpose;
using operation::EmbeddingRequest;

constexpr std::array<std::pair<std::string_view, EmbeddingPurpose>, 8> task_types{{
    {"RETRIEVAL_QUERY", EmbeddingPurpose::query},
    {"RETRIEVAL_DOCUMENT", EmbeddingPurpose::document},
    {"SEMANTIC_SIMILARITY", EmbeddingPurpose::similarity},
    {"CLASSIFICATION", EmbeddingPurpose::classification},
    {"CLUSTERING", EmbeddingPurpose::clustering},
    {"CODE_RETRIEVAL_QUERY", EmbeddingPurpose::code_query},
    {"QUESTION_ANSWERING", EmbeddingPurpose::question_answering},
    {"FACT_VERIFICATION", EmbeddingPurpose::fact_verification},
}};

// What one of its requests says.
struct ContentToEmbed {
    std::string text_escaped{};
    int texts = 0;
    std::string_view title_escaped{};
    std::optional<std::int64_t> dimensions{};
    EmbeddingPurpose purpose = EmbeddingPurpose::unsaid;
};

Result<void> read_part(Value& part, ContentToEmbed& content) {
    return gemini::for_each_named_field(
        part, [&](std::string_view name, Value& field) -> Result<void> {
            if (name != "text")
                return field.wrong("can't be embedded here: send text",
                                   ErrorKind::unsupported_parameter);
            auto text = field.escaped();
            if (!text) return propagate(text);
            if (content.texts++ > 0) content.text_escaped += "\\n";
            content.text_escaped += *text;
            return {};
        });
}

Result<void> read_content(Value& value, ContentToEmbed& content) {
    if (value.is_string()) {
        ++content.texts;
        return store(value.escaped(), content.text_escaped);
    }
    return gemini::for_each_named_field(
        value, [&](std::string_view name, Value& field) -> Result<void> {
            if (name != "parts") return {};
            return gemini::for_one_or_each(
                field, [&](std::size_t, Value& part) { return read_part(part, content); });
        });
}

// A word that nobody knows is Google's own business.
Result<void> read_task_type(const Value& value, EmbeddingPurpose& purpose) {
    auto word = value.text();
    if (!word) return propagate(word);
    const auto* known =
        std::ranges::find(task_types, *word, &std::pair<std::string_view, EmbeddingPurpose>::first);
    if (known != task_types.end()) purpose = known->second;
    return {};
}

Result<void> read_embedding_field(std::string_view name, Value& field, ContentToEmbed& content) {
    if (name == "content") return read_content(field, content);
    if (name == "taskType") return read_task_type(field, content.purpose);
    if (name == "title") return store(field.escaped(), content.title_escaped);
    if (name == "outputDimensionality")
        return store(field.integer(1, 1'000'000), content.dimensions);
    // The SDKs of Vertex' put them in here.
    if (name == "embedContentConfig" || name == "config")
        return gemini::for_each_named_field(field, [&](std::string_view inner, Value& value) {
            return inner == "content" ? Result<void>()
                                      : read_embedding_field(inner, value, content);
        });
    return {};
}

void add_input(ContentToEmbed content, EmbeddingRequest& request) {
    request.dimensions = content.dimensions;
    request.purpose = content.purpose;
    EmbeddingInput& input = request.inputs.emplace_back();
    input.text_escaped = request.asked.keep(std::move(content.text_escaped));
    input.title_escaped = content.title_escaped;
}

// All of them have one purpose and one size.
Result<void> add_content(const Value& place, ContentToEmbed content, EmbeddingRequest& request) {
    if (content.texts == 0) return place.needs("content");
    if (request.inputs.size() == embedding_inputs_max)
        return place.wrong(
            fmt::format("is one of more than {}; ask in several requests", embedding_inputs_max));
    const bool is_alike =
        request.dimensions == content.dimensions && request.purpose == content.purpose;
    if (!request.inputs.empty() && !is_alike)
        return place.wrong("has another taskType or outputDimensionality than the first; ask in "
                           "several requests",
                           ErrorKind::unsupported_parameter);
    add_input(std::move(content), request);
    return {};
}

Result<void> read_requests(Value& value, EmbeddingRequest& request) {
    return gemini::for_one_or_each(value, [&](std::size_t, Value& one) -> Result<void> {
        ContentToEmbed content;
        auto read = gemini::for_each_named_field(one, [&](std::string_view name, Value& field) {
            return read_embedding_field(name, field, content);
        });
        return read ? add_content(one, std::move(content), request) : read;
    });
}

enum class Asks { one, many };

Result<void> read_fields(Asks asks, EmbeddingRequest& request, json::Parser* parser) {
    RequestBody body;
    if (auto opened = body.open(*request.asked.body, parser); !opened) return opened;
    ContentToEmbed content;
    auto read = body.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (asks == Asks::many)
            return name == "requests" ? read_requests(field, request) : Result<void>();
        return read_embedding_field(gemini::camel_case(name), field, content);
    });
    if (!read) return read;
    if (asks == Asks::many && request.inputs.empty())
        return fail_at(ErrorKind::missing_required_field, "requests", "requests is not specified");
    if (asks == Asks::many) return {};
    if (content.texts == 0)
        return fail_at(ErrorKind::missing_required_field, "content", "content is not specified");
    add_input(std::move(content), request);
    return {};
}

class GeminiEmbeddings final : public EmbeddingApi {
public:
    explicit GeminiEmbeddings(Asks asks) : asks_(asks) {}

    std::string_view name() const override { return "gemini-embeddings"; }

    Result<EmbeddingRequest> read_request(Incoming incoming, json::Parser* parser) const override {
        if (auto named = check_model_in_path(incoming.model); !named) return propagate(named);
        Result<EmbeddingRequest> request;
        request->asked.api = chat::Api::gemini;
        request->asked.model = std::move(incoming.model);
        request->asked.body = std::make_unique<std::string>(std::move(incoming.body));
        // For those who may not use all fields.
        request->asked.field_names = {asks_ == Asks::one ? "content" : "requests"};
        if (auto read = read_fields(asks_, *request, parser); !read) return propagate(read);
        return request;
    }

    std::string write_answer(const Envelope& envelope,
                             const EmbeddingAnswer& answer) const override {
        std::string body;
        json::Writer out(body);
        out.begin_object();
        const auto write = [&](const Embedding& embedding) {
            out.begin_object().key("values").raw(embedding.text).end_object();
        };
        if (asks_ == Asks::one) {
            out.key("embedding");
            write(answer.embeddings.front());
        } else {
            out.key("embeddings").begin_array();
            for (const Embedding& embedding : answer.embeddings) write(embedding);
            out.end_array();
        }
        out.key("usageMetadata").begin_object();
        out.key("promptTokenCount").number(envelope.input_tokens);
        out.key("totalTokenCount").number(envelope.input_tokens).end_object();
        out.end_object();
        return body;
    }

private:
    Asks asks_;
};

}  // namespace

const EmbeddingApi& gemini_embedding() {
    static const GeminiEmbeddings api(Asks::one);
    return api;
}

const EmbeddingApi& gemini_batch_embeddings() {
    static const GeminiEmbeddings api(Asks::many);
    return api;
}

}  // namespace runnel::api
