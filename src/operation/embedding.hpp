#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Requests whose answer is one whole body, and these answers, in no vendor's words.
namespace runnel::operation {

// Text or tokens.
struct EmbeddingInput {
    std::string_view text_escaped{};   // the inside of a JSON string
    std::string_view tokens_raw{};     // a JSON array of numbers: text, as a tokenizer has it
    std::string_view title_escaped{};  // of the document that a text is from

    bool is_text() const { return tokens_raw.empty(); }
};

// What an embedding will be used for: some models make others for questions than for answers.
enum class EmbeddingPurpose {
    unsaid,
    query,
    document,
    similarity,
    classification,
    clustering,
    code_query,
    question_answering,
    fact_verification,
};

struct Embedding {
    enum class Form {
        numbers,  // a JSON array
        base64,   // of 32-bit floats, the lowest byte first
    } form = Form::numbers;
    std::string text{};
};

struct EmbeddingRequest {
    // What it has in common with a chat: the model, the user, what is wished of the gateway, the
    // client's bytes. Its messages are empty; see words().
    chat::Request asked{};
    std::vector<EmbeddingInput> inputs{};  // views into what was asked; never empty
    std::optional<std::int64_t> dimensions{};
    EmbeddingPurpose purpose = EmbeddingPurpose::unsaid;
    Embedding::Form form = Embedding::Form::numbers;  // of the answer

    // Rules look at what is said in a chat: puts the texts there, and takes them back as the rules
    // left them.
    void show_words();
    void take_words_back();
};

// Puts it into the other form where that is wanted; false where it is base64 of nothing such.
bool bring_into(Embedding::Form form, Embedding& embedding);

struct EmbeddingAnswer {
    std::vector<Embedding> embeddings{};         // of each input, in their order
    std::optional<std::int64_t> input_tokens{};  // none: nobody counted them
};

// A part of a request that a provider takes at once.
struct EmbeddingBatch {
    const EmbeddingRequest* request;
    std::span<const EmbeddingInput> inputs;
};

}  // namespace runnel::operation
