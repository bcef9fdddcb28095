#include "api/embeddings.hpp"

#include "check.hpp"
#include "provider/operations.hpp"
#include "provider/registry.hpp"

#include <array>
#include <memory>
#include <string>

// Embeddings: the same bytes as what a client asks and as what a provider answers.
namespace {

using namespace runnel;
using operation::Embedding;
using operation::EmbeddingRequest;

constexpr std::array<std::string_view, 3> kinds{"openai", "gemini", "ollama"};

std::unique_ptr<provider::Provider> provider_of(std::string_view kind) {
    return std::move(*provider::make_provider(
        {.name = std::string(kind), .kind = std::string(kind), .base_url = {}}));
}

// Whatever a client has asked, a provider is asked in JSON, for all of it.
void ask_all(EmbeddingRequest& request) {
    fuzz::require(!request.inputs.empty(), "there is something to embed");
    request.show_words();
    request.take_words_back();
    for (const std::string_view kind : kinds) {
        const auto provider = provider_of(kind);
        const auto asked =
            provider->embedder()->write_embedding_request({&request, request.inputs}, "m");
        if (asked) fuzz::require(fuzz::is_json_object(asked->body), "a body is JSON", asked->body);
    }
}

void read_request(const api::EmbeddingApi& api, std::string_view text) {
    json::Parser parser;
    auto request = api.read_request({.body = std::string(text), .model = "m"}, &parser);
    if (request) return ask_all(*request);
    fuzz::require(request.error().kind != ErrorKind::internal_error,
                  "what is wrong is the client's");
}

// Whatever a provider has answered, a client is told in JSON, in either form.
void read_answer(std::string_view kind, std::string_view text) {
    json::Parser parser;
    std::string body(text);
    auto answer = provider_of(kind)->embedder()->read_embeddings(Padded::of(body), &parser);
    if (!answer) return;
    fuzz::require(!answer->embeddings.empty(), "an answer has embeddings");
    EmbeddingRequest request;
    for (const auto form : {Embedding::Form::base64, Embedding::Form::numbers}) {
        for (Embedding& embedding : answer->embeddings)
            if (!operation::bring_into(form, embedding)) return;
        const std::string told = api::openai_embeddings().write_answer({&request, "m", 1}, *answer);
        fuzz::require(fuzz::is_json_object(told), "an answer is JSON", told);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    read_request(api::openai_embeddings(), text);
    read_request(api::gemini_embedding(), text);
    read_request(api::gemini_batch_embeddings(), text);
    for (const std::string_view kind : kinds) read_answer(kind, text);
    return 0;
}
