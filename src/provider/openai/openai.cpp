#include "base/percent_encoding.hpp"
#include "provider/core/base_url.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/headers.hpp"
#include "provider/core/repairs.hpp"
#include "provider/openai/embeddings.hpp"
#include "provider/openai/request.hpp"
#include "provider/openai/wire.hpp"
#include "provider/operations.hpp"
#include "provider/presets.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>

#include <atomic>

namespace runnel::provider {
namespace {

constexpr std::string_view azure_default_version = "2024-10-21";

class OpenAi final : public Provider, private Embedder {
public:
    OpenAi(const Preset& preset, const ProviderConfig& config)
        : preset_(preset),
          config_(config),
          display_name_(preset.display_name) {
        // Where the preset stands for any server, the user's name for it says more.
        if (preset.kind == "openai-compatible" && !config.name.empty()) display_name_ = config.name;
        const std::string_view url = config.base_url.empty() ? preset.base_url : config.base_url;
        if (auto base = read_base_url(url)) base_ = std::move(*base);
    }

    std::string_view origin() const override { return base_.origin; }
    std::string_view display_name() const override { return display_name_; }
    KeyHeader key_header() const override {
        return preset_.auth == Preset::Auth::api_key ? KeyHeader{"api-key", ""} : KeyHeader{};
    }

    Result<Outgoing> write_request(const chat::Request& request,
                                   std::string_view model) const override {
        auto body = write_openai_body(preset_, config_.kind, request, model);
        if (!body) return propagate(body);
        Outgoing outgoing;
        outgoing.turn = turn_options(model);
        outgoing.path = path_for("/chat/completions", model);
        outgoing.headers = headers_for(request.streaming);
        outgoing.body = std::move(body->json);
        if (refuses_stream_options_.load(std::memory_order_relaxed))
            remove_stream_options(outgoing.body);
        outgoing.warnings = std::move(body->warnings);
        outgoing.form = body->form;
        outgoing.turn.renamed_tools = ToolNames(preset_.request.tool_names).renamed(request.tools);
        outgoing.turn.choices = static_cast<int>(request.choices());
        // The provider is told, and not every one listens.
        if (request.parallel_tool_calls == false) outgoing.turn.tool_calls_max = 1;
        return outgoing;
    }

    std::unique_ptr<Wire> make_wire(json::Parser* parser) const override {
        return make_openai_wire(preset_, display_name_, parser);
    }

    Error read_error(const ErrorReply& reply) const override {
        return to_error(display_name_, read_error_facts(reply));
    }

    // What a server does not know, it is not sent again.
    bool repair(const ErrorReply& reply, Outgoing* outgoing) const override {
        if (!complains_of(reply, {"stream_options", "include_usage"})) return false;
        if (!remove_stream_options(outgoing->body)) return false;
        refuses_stream_options_.store(true, std::memory_order_relaxed);
        return true;
    }

    TurnOptions turn_options(std::string_view model) const override {
        TurnOptions options;
        options.display_name = display_name_;
        options.model = model;
        options.think_tags = preset_.think_tags;
        return options;
    }

    const Embedder* embedder() const override {
        return preset_.embeddings.inputs > 0 ? this : nullptr;
    }

private:
    Limits embedding_limits() const override {
        return {preset_.embeddings.inputs, preset_.embeddings.tokens};
    }
    Result<Outgoing> write_embedding_request(const operation::EmbeddingBatch& batch,
                                             std::string_view model) const override {
        Outgoing outgoing;
        outgoing.path = path_for("/embeddings", model);
        outgoing.headers = headers_for(chat::Streaming::no);
        outgoing.body = write_openai_embeddings(preset_, batch, model);
        return outgoing;
    }
    Result<operation::EmbeddingAnswer> read_embeddings(Padded body,
                                                       json::Parser* parser) const override {
        return read_openai_embeddings(body, display_name_, parser);
    }

    std::string path_for(std::string_view endpoint, std::string_view model) const {
        if (preset_.address == Preset::Address::azure) return azure_path(endpoint, model);
        return fmt::format("{}{}", base_.path, endpoint);
    }

    // Azure's addresses: …/openai/v1 takes the deployment as the model; …/openai/deployments/NAME,
    // …/models and any configured version want the version in the query; a bare resource is
    // completed to either.
    std::string azure_path(std::string_view endpoint, std::string_view model) const {
        std::string path = base_.path;
        if (path.empty())
            path = config_.api_version.empty()
                       ? "/openai/v1"
                       : fmt::format("/openai/deployments/{}", percent_encoded(model));
        const bool needs_version = path.contains("/deployments/") || path.ends_with("/models");
        path += endpoint;
        if (!config_.api_version.empty()) {
            path += fmt::format("?api-version={}", config_.api_version);
        } else if (needs_version) {
            path += fmt::format("?api-version={}", azure_default_version);
        }
        return path;
    }

    std::vector<Header> headers_for(std::optional<chat::Streaming> streaming) const {
        std::vector<Header> headers = json_headers(streaming, "text/event-stream");
        add_configured(headers, config_.headers);
        return headers;
    }

    const Preset& preset_;
    ProviderConfig config_;
    std::string display_name_;
    BaseUrl base_;
    mutable std::atomic<bool> refuses_stream_options_ = false;  // learnt from its errors
};

}  // namespace

std::unique_ptr<Provider> make_openai(const ProviderConfig& config) {
    const Preset* preset = find_preset(config.kind);
    return std::make_unique<OpenAi>(preset != nullptr ? *preset : *find_preset("openai"), config);
}

}  // namespace runnel::provider
