#pragma once

#include "api/embeddings.hpp"
#include "exchange/operations/whole_operation.hpp"
#include "operation/embedding.hpp"

namespace runnel::exchange {

// Embeddings. More inputs than a provider takes at once are asked for piece by piece.
class EmbeddingOperation final : public WholeOperation {
public:
    // `api` is how the client asks; it must outlive this.
    explicit EmbeddingOperation(const api::EmbeddingApi* api) : api_(api) {}

    std::string_view name() const override { return api_->name(); }
    std::string_view kind_name() const override { return "embeddings"; }
    Result<void> read(api::Incoming incoming, json::Parser* parser) override;
    chat::Request& asked() override { return request_.asked; }
    void show_words() override { request_.show_words(); }
    void take_words_back() override { request_.take_words_back(); }
    chat::Operation operation() const override;
    bool wants_same_model() const override { return true; }
    bool is_served_by(const provider::Provider& provider) const override;
    Result<provider::Outgoing> next_question(const provider::Provider& provider,
                                             std::string_view model) override;
    Result<void> read_answer(const provider::Provider& provider, Padded body,
                             json::Parser* parser) override;
    bool is_done() const override { return answer_.embeddings.size() == request_.inputs.size(); }
    std::optional<std::int64_t> input_tokens() const override { return answer_.input_tokens; }
    std::size_t held_bytes() const override { return held_bytes_; }
    std::string write_answer(const Told& told) const override;

private:
    const api::EmbeddingApi* api_;
    operation::EmbeddingRequest request_;
    operation::EmbeddingAnswer answer_;  // as far as it has come
    std::size_t asked_now_ = 0;          // inputs of the question that is out
    std::size_t held_bytes_ = 0;
    bool all_counted_ = true;
};

}  // namespace runnel::exchange
