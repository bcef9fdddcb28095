#pragma once

#include "api/api.hpp"
#include "operation/embedding.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace runnel::api {

// How clients of an API ask for embeddings. Errors have the shape of the endpoint's Api.
class EmbeddingApi {
public:
    virtual ~EmbeddingApi() = default;
    // As records and metrics call it, where a chat's dialect is.
    virtual std::string_view name() const = 0;
    // `parser` is used during the call only.
    virtual Result<operation::EmbeddingRequest> read_request(Incoming incoming,
                                                             json::Parser* parser) const = 0;
    // The embeddings are in the form that was asked for.
    struct Envelope {
        const operation::EmbeddingRequest* request;
        std::string_view model;  // that answered, as the client may call it
        std::int64_t input_tokens;
    };
    virtual std::string write_answer(const Envelope& envelope,
                                     const operation::EmbeddingAnswer& answer) const = 0;
};

const EmbeddingApi& openai_embeddings();        // POST /v1/embeddings
const EmbeddingApi& gemini_embedding();         // :embedContent
const EmbeddingApi& gemini_batch_embeddings();  // :batchEmbedContents

// More are more than anybody asks for at once: a hundred requests to Gemini.
inline constexpr std::size_t embedding_inputs_max = 10'000;

}  // namespace runnel::api
