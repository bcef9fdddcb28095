#include "provider/gemini/embeddings.hpp"

#include "json/writer.hpp"
#include "provider/core/embeddings.hpp"
#include "provider/core/json_fields.hpp"

namespace runnel::provider::gemini {
namespace {

using operation::EmbeddingAnswer;
using operation::EmbeddingBatch;
using operation::EmbeddingInput;
using operation::EmbeddingPurpose;
using operation::EmbeddingRequest;

constexpr std::string_view display_name = "Gemini";

std::string_view task_type(EmbeddingPurpose purpose) {
    using enum EmbeddingPurpose;
    switch (purpose) {
        case query: return "RETRIEVAL_QUERY";
        case document: return "RETRIEVAL_DOCUMENT";
        case similarity: return "SEMANTIC_SIMILARITY";
        case classification: return "CLASSIFICATION";
        case clustering: return "CLUSTERING";
        case code_query: return "CODE_RETRIEVAL_QUERY";
        case question_answering: return "QUESTION_ANSWERING";
        case fact_verification: return "FACT_VERIFICATION";
        case unsaid: break;
    }
    return {};
}

void write_one(const EmbeddingRequest& request, const EmbeddingInput& input,
               std::string_view resource, json::Writer& out) {
    out.begin_object().key("model").string(resource);
    out.key("content").begin_object().key("parts").begin_array();
    out.begin_object().key("text").escaped(input.text_escaped).end_object();
    out.end_array().end_object();
    if (request.dimensions) out.key("outputDimensionality").number(*request.dimensions);
    const std::string_view task = task_type(request.purpose);
    if (!task.empty()) out.key("taskType").string(task);
    if (!input.title_escaped.empty()) out.key("title").escaped(input.title_escaped);
    out.end_object();
}

}  // namespace

Result<std::string> write_embeddings(const EmbeddingBatch& batch, std::string_view resource) {
    if (auto text = check_is_text(batch, display_name); !text) return propagate(text);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("requests").begin_array();
    for (const EmbeddingInput& input : batch.inputs)
        write_one(*batch.request, input, resource, out);
    out.end_array().end_object();
    return body;
}

Result<EmbeddingAnswer> read_embeddings(Padded body, json::Parser* parser) {
    EmbeddingAnswer answer;
    bool readable = true;
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser->parse(body, document) || document.get_object().get(root))
        return fail(unreadable_embeddings(display_name));
    const auto read_one = [&](json::ondemand::value entry) {
        operation::Embedding embedding;
        bool found = false;
        for_each_field(entry, [&](std::string_view name, json::ondemand::value value) {
            if (name == "values") found = read_embedding(value, embedding);
        });
        readable = readable && found;
        answer.embeddings.push_back(std::move(embedding));
    };
    const auto broken =
        for_each_field(root, [&](std::string_view name, json::ondemand::value value) {
            if (name == "embeddings") for_each_element(value, read_one);
            if (name == "usageMetadata")
                for_each_field(value, [&](std::string_view field, json::ondemand::value count) {
                    if (field == "promptTokenCount") read_count(count, answer.input_tokens);
                });
        });
    if (broken || !readable || answer.embeddings.empty())
        return fail(unreadable_embeddings(display_name));
    return answer;
}

}  // namespace runnel::provider::gemini
