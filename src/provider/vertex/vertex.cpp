#include "base/ascii.hpp"
#include "base/percent_encoding.hpp"
#include "provider/anthropic/resold.hpp"
#include "provider/core/base_url.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/headers.hpp"
#include "provider/registry.hpp"
#include "provider/vertex/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::provider {
namespace {

constexpr std::string_view vertex_name = "Vertex AI";
constexpr std::string_view vertex_claude_version = "vertex-2023-10-16";
constexpr std::string_view everywhere = "global";

// Whose model it is, which settles how it is asked.
enum class Publisher { google, anthropic, other };

struct PublishedModel {
    Publisher publisher;
    std::string_view name;
};

// "gemini-2.5-pro", "claude-sonnet-4-5@20250929", "google/…", "anthropic/…"; others always have
// their publisher before them: "meta/llama-4-maverick-17b-128e-instruct-maas".
PublishedModel published(std::string_view model) {
    const std::size_t slash = model.find('/');
    const std::string_view before = model.substr(0, slash == std::string_view::npos ? 0 : slash);
    if (before == "anthropic") return {Publisher::anthropic, model.substr(slash + 1)};
    if (before == "google" || before == "models")
        return {Publisher::google, model.substr(slash + 1)};
    if (!before.empty()) return {Publisher::other, model};
    return {model.starts_with("claude") ? Publisher::anthropic : Publisher::google, model};
}

class Vertex final : public Provider {
public:
    // `prefix` is what the paths of all publishers begin with.
    Vertex(const ProviderConfig& config, std::string origin, std::string prefix)
        : has_project_(!config.cloud.project.empty()),
          origin_(std::move(origin)),
          prefix_(std::move(prefix)),
          headers_(config.headers),
          claude_(vertex_claude_version, vertex_name, headers_) {
        ProviderConfig inner = config;
        inner.kind = "gemini";
        inner.headers = headers_;
        inner.base_url = origin_ + prefix_ + "/publishers/google";
        gemini_ = make_gemini(inner);
        inner.kind = "openai-compatible";
        inner.base_url = origin_ + prefix_ + "/endpoints/openapi";
        others_ = make_openai(inner);
    }

    std::string_view origin() const override { return origin_; }
    std::string_view display_name() const override { return vertex_name; }
    Identity identity() const override { return has_project_ ? Identity::google : Identity::key; }
    KeyHeader key_header() const override {
        return has_project_ ? KeyHeader{} : KeyHeader{"x-goog-api-key", ""};
    }

    Result<Outgoing> write_request(const chat::Request& request,
                                   std::string_view model) const override {
        const auto [publisher, name] = published(model);
        if (publisher != Publisher::google && !has_project_)
            return fail_at(ErrorKind::invalid_value, "model",
                           fmt::format("the model '{}' needs a project in the config of its "
                                       "provider: with an API key alone Vertex AI has Gemini only",
                                       model));
        auto out = publisher == Publisher::anthropic ? ask_claude(request, name)
                   : publisher == Publisher::google  ? gemini_->write_request(request, name)
                                                     : others_->write_request(request, name);
        if (out) out->turn.display_name = vertex_name;
        return out;
    }

    std::unique_ptr<Wire> make_wire(json::Parser* parser) const override {
        return std::make_unique<vertex::VertexWire>(parser);
    }

    Error read_error(const ErrorReply& reply) const override {
        return to_error(vertex_name, read_error_facts(reply));
    }

    // Each knows its own format's complaints, and finds nothing to mend in the others' bodies.
    bool repair(const ErrorReply& reply, Outgoing* outgoing) const override {
        return anthropic::ResoldClaude::repair(reply, outgoing) ||
               gemini_->repair(reply, outgoing) || others_->repair(reply, outgoing);
    }

    TurnOptions turn_options(std::string_view model) const override {
        const auto [publisher, name] = published(model);
        TurnOptions options = publisher == Publisher::anthropic ? claude_.turn_options(name)
                              : publisher == Publisher::google  ? gemini_->turn_options(name)
                                                                : others_->turn_options(name);
        options.display_name = vertex_name;
        return options;
    }

private:
    Result<Outgoing> ask_claude(const chat::Request& request, std::string_view model) const {
        auto out = claude_.write_request(request, model);
        if (!out) return out;
        out->path = fmt::format("{}/publishers/anthropic/models/{}:{}", prefix_,
                                percent_encoded(model, "@"),
                                request.streams() ? "streamRawPredict" : "rawPredict");
        out->headers = json_headers(request.streaming, "text/event-stream");
        add_configured(out->headers, headers_);
        return out;
    }

    bool has_project_;
    std::string origin_;
    std::string prefix_;
    std::vector<Header> headers_;
    anthropic::ResoldClaude claude_;
    std::unique_ptr<Provider> gemini_;
    std::unique_ptr<Provider> others_;
};

// Letters, digits and hyphens: it becomes a part of a host's name.
bool is_location(std::string_view text) {
    return !text.empty() && text.size() <= 32 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || ascii::is_digit(c) || c == '-';
    });
}

// "my-project", "example.com:my-project", "1234567890".
bool is_project(std::string_view text) {
    return text.size() <= 128 && std::ranges::all_of(text, [](char c) {
               return ascii::is_alphanumeric(c) || std::string_view("-.:_").contains(c);
           });
}

std::string vertex_url(std::string_view location) {
    constexpr std::string_view host = "aiplatform.googleapis.com";
    if (location == everywhere) return fmt::format("https://{}", host);
    // Of several regions together.
    if (location == "us" || location == "eu")
        return fmt::format("https://aiplatform.{}.rep.googleapis.com", location);
    return fmt::format("https://{}-{}", location, host);
}

}  // namespace

Result<std::unique_ptr<Provider>> make_vertex(const ProviderConfig& config) {
    const std::string& project = config.cloud.project;
    const std::string location =
        config.cloud.location.empty() ? std::string(everywhere) : config.cloud.location;
    if (!is_location(location))
        return fail_at(ErrorKind::invalid_value, "location",
                       fmt::format("'{}' is no location of Vertex AI; there are global, us, eu and "
                                   "regions such as us-central1",
                                   location));
    if (!is_project(project))
        return fail_at(ErrorKind::invalid_value, "project",
                       fmt::format("'{}' is no project's id; one looks like my-project", project));
    auto base = read_base_url(config.base_url.empty() ? vertex_url(location) : config.base_url);
    if (!base) return fail_at(base.error().kind, "base_url", base.error().message);
    // Some people's base URL has the version in it, some people's has not.
    std::string prefix = base->path + (base->path.ends_with("/v1") ? "" : "/v1");
    if (!project.empty()) prefix += fmt::format("/projects/{}/locations/{}", project, location);
    return std::make_unique<Vertex>(config, std::move(base->origin), std::move(prefix));
}

}  // namespace runnel::provider
