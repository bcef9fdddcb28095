#include "base/sha256.hpp"
#include "base/utc_time.hpp"
#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "server/handlers.hpp"
#include "server/models.hpp"

// What clients of Ollama's API ask before they ask a model: which there are, and what those can do.
namespace runnel::server {
namespace {

using Listed = router::Router::Listed;

// Clients look at it before they use what older servers don't have.
constexpr std::string_view api_version = "0.12.11";

// Of files that are not here: clients show some of it, and read all of it.
void write_details(json::Writer& out, const Listed& model) {
    out.key("details").begin_object().key("parent_model").string("").key("format").string("");
    out.key("family").string(model.owned_by);
    out.key("families").begin_array().string(model.owned_by).end_array();
    out.key("parameter_size").string("").key("quantization_level").string("").end_object();
}

// When the process began: nobody knows when a model did.
std::string modified_at(const Call& call) {
    return write_utc_time(call.resources->shared->started);
}

std::string tags_json(const std::vector<Listed>& models, std::string_view modified) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("models").begin_array();
    for (const Listed& model : models) {
        out.begin_object().key("name").string(model.id).key("model").string(model.id);
        out.key("modified_at").string(modified).key("size").number(0);
        // Clients show its beginning, and some expect as many digits.
        out.key("digest").string(in_hexadecimal(sha256(model.id)));
        write_details(out, model);
        out.end_object();
    }
    out.end_array().end_object();
    return body;
}

// What nobody knows of a model is tried: only what it surely can't do is missing.
void write_capabilities_of(json::Writer& out, const router::ModelFacts& facts) {
    out.key("capabilities").begin_array().string("completion");
    if (facts.tools.value_or(true)) out.string("tools");
    if (facts.vision.value_or(false)) out.string("vision");
    if (facts.reasoning.value_or(false)) out.string("thinking");
    out.end_array();
}

std::string show_json(const Listed& model, std::string_view modified) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("modelfile").string("").key("parameters").string("");
    out.key("template").string("").key("modified_at").string(modified);
    write_details(out, model);
    // The names of facts begin with the architecture.
    out.key("model_info").begin_object().key("general.architecture").string("runnel");
    if (model.facts.context_length)
        out.key("runnel.context_length").number(*model.facts.context_length);
    out.end_object();
    write_capabilities_of(out, model.facts);
    out.end_object();
    return body;
}

// {"model":…}, or {"name":…} as older clients have it.
Result<std::string> model_asked_for(std::string& body) {
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    std::string model;
    if (parser.parse_strict(Padded::of(body), document) || document.get_object().get(object) ||
        json::for_each_field(object, [&](std::string_view name, json::ondemand::value value) {
            if (name == "model" || name == "name") (void)json::plain_string(value, model);
        }))
        return fail(ErrorKind::invalid_json, R"(the body must be {"model": "…"})");
    if (model.empty())
        return fail_at(ErrorKind::missing_required_field, "model",
                       "model is missing: the name of the one to show");
    return model;
}

}  // namespace

Answer list_ollama_models(Call call) {
    return send_json(call, 200,
                     tags_json(models_for(call.caller, call.gateway().router), modified_at(call)));
}

Answer show_ollama_model(Call call) {
    auto name = model_asked_for(call.request().body);
    if (!name) return refuse(call, std::move(name.error()));
    auto model = model_for(call.caller, call.gateway().router, *name);
    if (!model) return refuse(call, std::move(model.error()));
    return send_json(call, 200, show_json(*model, modified_at(call)));
}

// None is loaded: they are not here.
Answer list_loaded_models(Call call) { return send_json(call, 200, R"({"models":[]})"); }

Answer show_ollama_version(Call call) {
    std::string body;
    json::Writer(body).begin_object().key("version").string(api_version).end_object();
    return send_json(call, 200, std::move(body));
}

}  // namespace runnel::server
