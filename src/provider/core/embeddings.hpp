#pragma once

#include "json/parser.hpp"
#include "operation/embedding.hpp"

#include <string_view>

// What the formats of embeddings have in common.
namespace runnel::provider {

// An array of numbers, or base64 of floats; false for anything else.
bool read_embedding(json::ondemand::value value, operation::Embedding& embedding);

// The answer of a provider that can't be read.
Error unreadable_embeddings(std::string_view display_name);

// For providers that take text alone: the error names the input at fault.
Result<void> check_is_text(const operation::EmbeddingBatch& batch, std::string_view display_name);

}  // namespace runnel::provider
