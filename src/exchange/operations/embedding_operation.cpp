#include "exchange/operations/embedding_operation.hpp"

#include "metering/estimate.hpp"
#include "provider/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace runnel::exchange {
namespace {

using operation::Embedding;
using operation::EmbeddingInput;

std::int64_t estimated_tokens(const EmbeddingInput& input) {
    if (!input.is_text()) return std::ranges::count(input.tokens_raw, ',') + 1;
    return metering::estimated_tokens(input.text_escaped.size() + input.title_escaped.size());
}

// The first of these that a provider takes at once; one at least.
std::size_t batch_size(std::span<const EmbeddingInput> inputs,
                       const provider::Embedder::Limits& limits) {
    std::size_t size = 0;
    std::size_t tokens = 0;
    for (const EmbeddingInput& input : inputs) {
        tokens += static_cast<std::size_t>(estimated_tokens(input));
        if (size == limits.inputs || (size > 0 && tokens > limits.tokens)) break;
        ++size;
    }
    return size;
}

}  // namespace

Result<void> EmbeddingOperation::read(api::Incoming incoming, json::Parser* parser) {
    auto request = api_->read_request(std::move(incoming), parser);
    if (!request) return propagate(request);
    request_ = std::move(*request);
    return {};
}

chat::Operation EmbeddingOperation::operation() const {
    chat::Operation operation;
    operation.kind = chat::Operation::Kind::embedding;
    operation.model = request_.asked.model;
    for (const EmbeddingInput& input : request_.inputs)
        operation.input_tokens += estimated_tokens(input);
    return operation;
}

bool EmbeddingOperation::is_served_by(const provider::Provider& provider) const {
    return provider.embedder() != nullptr;
}

Result<provider::Outgoing> EmbeddingOperation::next_question(const provider::Provider& provider,
                                                             std::string_view model) {
    const provider::Embedder& embedder = *provider.embedder();
    const auto left = std::span(request_.inputs).subspan(answer_.embeddings.size());
    asked_now_ = batch_size(left, embedder.embedding_limits());
    return embedder.write_embedding_request({&request_, left.first(asked_now_)}, model);
}

Result<void> EmbeddingOperation::read_answer(const provider::Provider& provider, Padded body,
                                             json::Parser* parser) {
    auto answer = provider.embedder()->read_embeddings(body, parser);
    if (!answer) return propagate(answer);
    if (answer->embeddings.size() != asked_now_)
        return fail(ErrorKind::upstream_malformed,
                    fmt::format("{} was asked for {} embeddings and sent {}",
                                provider.display_name(), asked_now_, answer->embeddings.size()));
    for (Embedding& embedding : answer->embeddings)
        if (!operation::bring_into(request_.form, embedding))
            return fail(ErrorKind::upstream_malformed,
                        fmt::format("{} sent an embedding that is no base64 of numbers",
                                    provider.display_name()));
    for (Embedding& embedding : answer->embeddings) {
        held_bytes_ += embedding.text.size();
        answer_.embeddings.push_back(std::move(embedding));
    }
    // Half a count would be counted as all of it.
    all_counted_ = all_counted_ && answer->input_tokens.has_value();
    if (all_counted_)
        answer_.input_tokens = answer_.input_tokens.value_or(0) + *answer->input_tokens;
    else
        answer_.input_tokens.reset();
    return {};
}

std::string EmbeddingOperation::write_answer(const Told& told) const {
    return api_->write_answer({&request_, told.model, told.input_tokens}, answer_);
}

}  // namespace runnel::exchange
