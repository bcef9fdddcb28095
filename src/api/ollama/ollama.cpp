#include "api/ollama/answer.hpp"
#include "api/ollama/request.hpp"
#include "api/ollama/stream.hpp"
#include "api/registry.hpp"

#include <array>

// POST /api/chat and /api/generate, Ollama's API.
namespace runnel::api {
namespace {

constexpr std::string_view chat_name = "ollama";
constexpr std::string_view generate_name = "ollama-generate";

class OllamaDialect final : public Dialect {
public:
    OllamaDialect(std::string_view name, ollama::Form form) : name_(name), form_(form) {}

    std::string_view name() const override { return name_; }
    const Api& api() const override { return ollama_api(); }
    std::unique_ptr<Encoder> make_encoder(const Envelope& envelope,
                                          std::string* out) const override {
        return std::make_unique<ollama::Stream>(envelope, form_, out);
    }
    std::string write_answer(const Envelope& envelope,
                             const timeline::Answer& answer) const override {
        return ollama::whole_answer(envelope, form_, answer);
    }
    std::string_view content_type() const override { return "application/x-ndjson"; }
    // Clients read every line as JSON, empty ones too. A space belongs to the line that follows.
    std::string_view ping() const override { return " "; }

private:
    std::string_view name_;
    ollama::Form form_;
};

class Ollama final : public Api {
public:
    std::string_view name() const override { return "ollama"; }
    Result<chat::Request> read_request(Incoming incoming, json::Parser* parser) const override {
        const bool generates = incoming.dialect == generate_name;
        return ollama::read_request(
            std::move(incoming), generates ? ollama::Form::generate : ollama::Form::chat, parser);
    }
    Result<void> check_request(const chat::Request&) const override { return {}; }
    bool asks_a_model(const chat::Request& request) const override {
        return ollama::asks_for_words(request);
    }
    std::span<const Dialect* const> dialects() const override {
        static const OllamaDialect chat(chat_name, ollama::Form::chat);
        static const OllamaDialect generate(generate_name, ollama::Form::generate);
        static constexpr std::array<const Dialect*, 2> all{&chat, &generate};
        return all;
    }
    std::string error_body(const Error& error) const override { return ollama::error_body(error); }
};

}  // namespace

const Api& ollama_api() {
    static const Ollama api;
    return api;
}

}  // namespace runnel::api
