#pragma once

#include "base/padded.hpp"
#include "json/parser.hpp"
#include "operation/embedding.hpp"
#include "provider/operations.hpp"

#include <string>
#include <string_view>

// POST …/models/{model}:batchEmbedContents.
namespace runnel::provider::gemini {

inline constexpr Embedder::Limits embedding_limits{.inputs = 100, .tokens = 200'000};

// `resource` is the model's, e.g. "models/gemini-embedding-001".
Result<std::string> write_embeddings(const operation::EmbeddingBatch& batch,
                                     std::string_view resource);
Result<operation::EmbeddingAnswer> read_embeddings(Padded body, json::Parser* parser);

}  // namespace runnel::provider::gemini
