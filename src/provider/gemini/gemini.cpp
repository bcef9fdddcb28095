#include "base/percent_encoding.hpp"
#include "provider/core/base_url.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/headers.hpp"
#include "provider/core/repairs.hpp"
#include "provider/gemini/contents.hpp"
#include "provider/gemini/embeddings.hpp"
#include "provider/gemini/request.hpp"
#include "provider/gemini/wire.hpp"
#include "provider/operations.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>

#include <array>

namespace runnel::provider {
namespace {

constexpr std::string_view gemini_base_url = "https://generativelanguage.googleapis.com";

// Some people's base URL has the version in it (Vertex' must: more follows it), some people's has
// not.
bool has_version(std::string_view path) {
    constexpr std::array<std::string_view, 4> versions{"/v1/", "/v1beta/", "/v1beta1/",
                                                       "/v1alpha/"};
    const std::string closed = fmt::format("{}/", path);
    for (const std::string_view version : versions)
        if (closed.find(version) != std::string::npos) return true;
    return false;
}

// The model as a resource: "models/gemini-2.5-pro", "tunedModels/mine". A client's word is made
// safe for a path.
std::string resource_of(std::string_view model) {
    std::string resource = "models/";
    for (const std::string_view collection : {"models/", "tunedModels/"}) {
        if (!model.starts_with(collection)) continue;
        resource = collection;
        model.remove_prefix(collection.size());
        break;
    }
    return resource + percent_encoded(model);
}

class Gemini final : public Provider, private Embedder {
public:
    Gemini(const ProviderConfig& config, BaseUrl base)
        : origin_(std::move(base.origin)),
          path_(base.path + (has_version(base.path) ? "/" : "/v1beta/")),
          headers_(config.headers) {}

    std::string_view origin() const override { return origin_; }
    std::string_view display_name() const override { return "Gemini"; }
    KeyHeader key_header() const override { return {"x-goog-api-key", ""}; }

    Result<Outgoing> write_request(const chat::Request& request,
                                   std::string_view model) const override {
        auto body = gemini::write_body(request, model);
        if (!body) return propagate(body);
        Outgoing out;
        out.path = path_ + resource_of(model) +
                   (request.streams() ? ":streamGenerateContent?alt=sse" : ":generateContent");
        out.headers = json_headers(request.streaming, "text/event-stream");
        add_configured(out.headers, headers_);
        out.body = std::move(body->text);
        out.warnings = std::move(body->warnings);
        out.form = body->form;
        out.turn = turn_options(model);
        out.turn.renamed_tools = ToolNames(gemini::tool_name_rule).renamed(request.tools);
        out.turn.samples = body->samples;
        answer_in(chat::name_of(request.api), out.turn);
        // There is no way to ask for one call at a time.
        if (request.parallel_tool_calls == false) out.turn.tool_calls_max = 1;
        // Without tools there is no call whose result a signature would have to go back with.
        if (request.tools.empty()) out.turn.state = TurnOptions::State::drop;
        return out;
    }

    std::unique_ptr<Wire> make_wire(json::Parser* parser) const override {
        return std::make_unique<gemini::GenerateContentWire>(parser);
    }

    Error read_error(const ErrorReply& reply) const override {
        return to_error(display_name(), read_error_facts(reply), chat::name_of(chat::Api::gemini));
    }

    // Signatures of another key or model are refused; the sentinel stands for any.
    bool repair(const ErrorReply& reply, Outgoing* outgoing) const override {
        return complains_of(reply,
                            {"thought signature", "thought_signature", "thoughtsignature"}) &&
               replace_thought_signatures(outgoing->body, gemini::any_signature);
    }

    TurnOptions turn_options(std::string_view model) const override {
        TurnOptions options;
        options.display_name = display_name();
        options.tool_id_prefix = gemini::call_id_prefix;
        options.finish_means = TurnOptions::FinishMeans::perhaps;
        options.model = model;
        options.issuer = fmt::format("gemini/{}", model);
        options.native_api = chat::name_of(chat::Api::gemini);
        return options;
    }

    const Embedder* embedder() const override { return this; }

private:
    Limits embedding_limits() const override { return gemini::embedding_limits; }
    Result<Outgoing> write_embedding_request(const operation::EmbeddingBatch& batch,
                                             std::string_view model) const override {
        const std::string resource = resource_of(model);
        auto body = gemini::write_embeddings(batch, resource);
        if (!body) return propagate(body);
        Outgoing out;
        out.path = path_ + resource + ":batchEmbedContents";
        out.headers = json_headers(chat::Streaming::no, "");
        add_configured(out.headers, headers_);
        out.body = std::move(*body);
        return out;
    }
    Result<operation::EmbeddingAnswer> read_embeddings(Padded body,
                                                       json::Parser* parser) const override {
        return gemini::read_embeddings(body, parser);
    }

    std::string origin_;
    std::string path_;
    std::vector<Header> headers_;
};

}  // namespace

std::unique_ptr<Provider> make_gemini(const ProviderConfig& config) {
    const std::string url =
        config.base_url.empty() ? std::string(gemini_base_url) : config.base_url;
    return std::make_unique<Gemini>(config, read_base_url(url).value_or(BaseUrl{}));
}

}  // namespace runnel::provider
