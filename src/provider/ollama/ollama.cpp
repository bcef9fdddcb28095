#include "provider/core/base_url.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/headers.hpp"
#include "provider/ollama/embeddings.hpp"
#include "provider/ollama/request.hpp"
#include "provider/ollama/wire.hpp"
#include "provider/operations.hpp"
#include "provider/registry.hpp"

namespace runnel::provider {
namespace {

constexpr std::string_view ollama_base_url = "http://127.0.0.1:11434";

// Ollama's own API begins at /api. A base URL that names it, or the OpenAI-compatible one beside
// it, is understood.
std::string api_path(std::string base) {
    for (const std::string_view ending : {"/api", "/v1"})
        if (base.ends_with(ending)) base.erase(base.size() - ending.size());
    return base + "/api";
}

class Ollama final : public Provider, private Embedder {
public:
    Ollama(const ProviderConfig& config, BaseUrl base)
        : origin_(std::move(base.origin)),
          path_(api_path(std::move(base.path))),
          headers_(config.headers) {}

    std::string_view origin() const override { return origin_; }
    std::string_view display_name() const override { return "Ollama"; }

    Result<Outgoing> write_request(const chat::Request& request,
                                   std::string_view model) const override {
        auto body = ollama::write_body(request, model);
        if (!body) return propagate(body);
        Outgoing out;
        out.path = path_ + "/chat";
        out.headers = json_headers(request.streaming, "application/x-ndjson");
        add_configured(out.headers, headers_);
        out.body = std::move(body->text);
        out.warnings = std::move(body->warnings);
        out.form = body->form;
        out.turn = turn_options(model);
        // There is no way to ask for one call at a time.
        if (request.parallel_tool_calls == false) out.turn.tool_calls_max = 1;
        return out;
    }

    std::unique_ptr<Wire> make_wire(json::Parser* parser) const override {
        return std::make_unique<ollama::ChatWire>(parser);
    }

    Error read_error(const ErrorReply& reply) const override {
        return to_error(display_name(), read_error_facts(reply));
    }

    TurnOptions turn_options(std::string_view model) const override {
        TurnOptions options;
        options.display_name = display_name();
        // Servers and templates that do not know of thinking leave it in the text.
        options.think_tags = TurnOptions::ThinkTags::reasoning;
        options.model = model;
        return options;
    }

    const Embedder* embedder() const override { return this; }

private:
    Limits embedding_limits() const override { return ollama::embedding_limits; }
    Result<Outgoing> write_embedding_request(const operation::EmbeddingBatch& batch,
                                             std::string_view model) const override {
        auto body = ollama::write_embeddings(batch, model);
        if (!body) return propagate(body);
        Outgoing out;
        out.path = path_ + "/embed";
        out.headers = json_headers(chat::Streaming::no, "");
        add_configured(out.headers, headers_);
        out.body = std::move(*body);
        return out;
    }
    Result<operation::EmbeddingAnswer> read_embeddings(Padded body,
                                                       json::Parser* parser) const override {
        return ollama::read_embeddings(body, parser);
    }

    std::string origin_;
    std::string path_;
    std::vector<Header> headers_;
};

}  // namespace

std::unique_ptr<Provider> make_ollama(const ProviderConfig& config) {
    const std::string url =
        config.base_url.empty() ? std::string(ollama_base_url) : config.base_url;
    return std::make_unique<Ollama>(config, read_base_url(url).value_or(BaseUrl{}));
}

}  // namespace runnel::provider
