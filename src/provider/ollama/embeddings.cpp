#include "provider/ollama/embeddings.hpp"

#include "json/writer.hpp"
#include "provider/core/embeddings.hpp"
#include "provider/core/json_fields.hpp"

namespace runnel::provider::ollama {
namespace {

constexpr std::string_view display_name = "Ollama";

}  // namespace

Result<std::string> write_embeddings(const operation::EmbeddingBatch& batch,
                                     std::string_view model) {
    if (auto text = check_is_text(batch, display_name); !text) return propagate(text);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("model").string(model).key("input").begin_array();
    for (const operation::EmbeddingInput& input : batch.inputs) out.escaped(input.text_escaped);
    out.end_array();
    if (batch.request->dimensions) out.key("dimensions").number(*batch.request->dimensions);
    out.end_object();
    return body;
}

Result<operation::EmbeddingAnswer> read_embeddings(Padded body, json::Parser* parser) {
    operation::EmbeddingAnswer answer;
    bool readable = true;
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser->parse(body, document) || document.get_object().get(root))
        return fail(unreadable_embeddings(display_name));
    const auto broken =
        for_each_field(root, [&](std::string_view name, json::ondemand::value value) {
            if (name == "embeddings")
                for_each_element(value, [&](json::ondemand::value entry) {
                    readable = read_embedding(entry, answer.embeddings.emplace_back()) && readable;
                });
            if (name == "prompt_eval_count") read_count(value, answer.input_tokens);
        });
    if (broken || !readable || answer.embeddings.empty())
        return fail(unreadable_embeddings(display_name));
    return answer;
}

}  // namespace runnel::provider::ollama
