#include "cli/request.hpp"

#include "api/registry.hpp"
#include "cli/kinds.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "provider/catalogue.hpp"
#include "provider/credentials/static_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace runnel::cli {
namespace {

// The provider's own name for the model: without the provider before it. Some providers' own names
// have slashes in them, so only theirs is taken off there.
std::string_view own_name(std::string_view kind, std::string_view model) {
    if (model.starts_with('@')) model.remove_prefix(1);
    const std::size_t slash = model.find('/');
    if (slash == std::string_view::npos) return model;
    if (model.substr(0, slash) == kind) return model.substr(slash + 1);
    const auto models = provider::catalogue_of(kind).models;
    const bool names_are_plain =
        !models.empty() &&
        std::ranges::none_of(models, [](std::string_view name) { return name.contains('/'); });
    return names_are_plain ? model.substr(model.rfind('/') + 1) : model;
}

// With a key that may be shown.
void add_key(const provider::Provider& provider, provider::Outgoing* outgoing) {
    const provider::StaticKey key(provider.key_header(), Secret("***"));
    key.prove(
        {outgoing->method, provider.origin(), outgoing->path, outgoing->headers, outgoing->body},
        [outgoing](provider::Credentials::Proof proof) {
            for (provider::Header& header : *proof) outgoing->headers.push_back(std::move(header));
        });
}

std::string as_json(const provider::Outgoing& outgoing) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    writer.key("method").string(outgoing.method);
    writer.key("path").string(outgoing.path);
    writer.key("headers").begin_object();
    for (const provider::Header& header : outgoing.headers)
        writer.key(header.name).string(header.value);
    writer.end_object();
    writer.key("body");
    if (outgoing.body.empty())
        writer.null();
    else
        json::append_compact(out, outgoing.body);
    if (!outgoing.warnings.empty()) {
        writer.key("warnings").begin_array();
        for (const std::string& warning : outgoing.warnings) writer.string(warning);
        writer.end_array();
    }
    writer.end_object();
    return out;
}

}  // namespace

Result<std::string> write_upstream_request(const RequestOptions& options, std::string body) {
    const api::Api* api = api::api_named(options.from);
    if (api == nullptr)
        return fail(ErrorKind::invalid_value,
                    fmt::format("there is no API {}; there are: {}", options.from,
                                fmt::join(api::api_names(), ", ")));
    auto provider = provider_of_kind(options.to);
    if (!provider) return propagate(provider);
    json::Parser parser;
    api::Incoming incoming{.body = std::move(body), .model = options.model};
    if (options.stream) incoming.streaming = chat::Streaming::yes;
    auto request = api->read_request(std::move(incoming), &parser);
    if (!request) return propagate(request);
    if (request->model.empty()) request->model = options.model;
    if (request->model.empty())
        return fail_at(ErrorKind::missing_required_field, "model",
                       "the request needs a model; --model names it where its API has it in the "
                       "path");
    if (auto checked = api->check_request(*request); !checked) return propagate(checked);
    auto outgoing = (*provider)->write_request(*request, own_name(options.to, request->model));
    if (!outgoing) return propagate(outgoing);
    add_key(**provider, &*outgoing);
    return as_json(*outgoing);
}

}  // namespace runnel::cli
