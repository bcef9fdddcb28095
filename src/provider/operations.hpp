#pragma once

#include "base/padded.hpp"
#include "base/result.hpp"
#include "json/parser.hpp"
#include "operation/embedding.hpp"
#include "provider/provider.hpp"

#include <cstddef>
#include <string_view>

// What a provider may be asked besides a chat: each an interface of its own, of those that have it.
// Keys, header fields and errors are the provider's in all of them.
namespace runnel::provider {

class Embedder {
public:
    virtual ~Embedder() = default;

    // How much it takes at once; more is asked for piece by piece.
    struct Limits {
        std::size_t inputs;
        std::size_t tokens;
    };
    virtual Limits embedding_limits() const = 0;
    // `model` is the provider's own name for it.
    virtual Result<Outgoing> write_embedding_request(const operation::EmbeddingBatch& batch,
                                                     std::string_view model) const = 0;
    // As many as were asked for are not counted here.
    virtual Result<operation::EmbeddingAnswer> read_embeddings(Padded body,
                                                               json::Parser* parser) const = 0;
};

}  // namespace runnel::provider
