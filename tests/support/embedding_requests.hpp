#pragma once

#include "operation/embedding.hpp"
#include "provider/operations.hpp"
#include "provider/registry.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Requests for embeddings, and what providers make of them.
namespace runnel::testing {

inline operation::EmbeddingRequest embedding_of(std::vector<std::string_view> texts) {
    operation::EmbeddingRequest request;
    for (const std::string_view text : texts) request.inputs.push_back({.text_escaped = text});
    return request;
}

// The embeddings of an answer, one after another, then how many tokens they took; or why not.
inline std::string told(const Result<operation::EmbeddingAnswer>& answer) {
    if (!answer) return "failed: " + answer.error().message;
    std::string text;
    for (const operation::Embedding& embedding : answer->embeddings) text += embedding.text + ' ';
    return text + (answer->input_tokens ? std::to_string(*answer->input_tokens) : "uncounted");
}

// A provider that is asked for embeddings.
class EmbeddingProvider {
public:
    explicit EmbeddingProvider(const provider::ProviderConfig& config)
        : provider_(std::move(*provider::make_provider(config))) {}
    explicit EmbeddingProvider(std::string kind)
        : EmbeddingProvider(
              provider::ProviderConfig{.name = {}, .kind = std::move(kind), .base_url = {}}) {}

    bool has_embeddings() const { return provider_->embedder() != nullptr; }
    provider::Outgoing write(const operation::EmbeddingRequest& request, std::string_view model) {
        auto outgoing =
            provider_->embedder()->write_embedding_request({&request, request.inputs}, model);
        if (outgoing) return std::move(*outgoing);
        return {.path = {}, .headers = {}, .body = "failed: " + outgoing.error().message};
    }
    Result<operation::EmbeddingAnswer> read(std::string body) {
        return provider_->embedder()->read_embeddings(Padded::of(body), &parser_);
    }

private:
    std::unique_ptr<provider::Provider> provider_;
    json::Parser parser_;
};

}  // namespace runnel::testing
