#pragma once

#include "base/padded.hpp"
#include "json/parser.hpp"
#include "operation/embedding.hpp"
#include "provider/presets.hpp"

#include <string>
#include <string_view>

// POST /v1/embeddings of the OpenAI-compatible family.
namespace runnel::provider {

std::string write_openai_embeddings(const Preset& preset, const operation::EmbeddingBatch& batch,
                                    std::string_view model);
Result<operation::EmbeddingAnswer>
read_openai_embeddings(Padded body, std::string_view display_name, json::Parser* parser);

}  // namespace runnel::provider
