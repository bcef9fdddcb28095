#pragma once

#include "operation/embedding.hpp"
#include "provider/operations.hpp"

// What demo/embedding answers: an embedding of the words in a text, the same every time, so that
// texts that share words are near each other.
namespace runnel::provider::demo {

inline constexpr Embedder::Limits embedding_limits{.inputs = 256, .tokens = 250'000};

Result<Script> embeddings_of(const operation::EmbeddingBatch& batch);

}  // namespace runnel::provider::demo
