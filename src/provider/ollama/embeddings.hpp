#pragma once

#include "base/padded.hpp"
#include "json/parser.hpp"
#include "operation/embedding.hpp"
#include "provider/operations.hpp"

#include <string>
#include <string_view>

// POST /api/embed.
namespace runnel::provider::ollama {

// It takes any number; so many keep one request from taking minutes.
inline constexpr Embedder::Limits embedding_limits{.inputs = 512, .tokens = 250'000};

Result<std::string> write_embeddings(const operation::EmbeddingBatch& batch,
                                     std::string_view model);
Result<operation::EmbeddingAnswer> read_embeddings(Padded body, json::Parser* parser);

}  // namespace runnel::provider::ollama
