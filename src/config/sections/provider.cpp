#include "config/addresses.hpp"
#include "config/names.hpp"
#include "config/sections/policy.hpp"
#include "config/sections/sections.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_provider[] = {
    "kind",    "base_url", "api_key", "keys",       "headers",    "api_version",
    "proxy",   "timeouts", "retries", "concurrent", "models",     "region",
    "project", "location", "api",     "guardrail",  "credentials"};
constexpr std::string_view keys_of_guardrail[] = {"id", "version"};
constexpr std::string_view keys_of_facts[] = {"tools",     "vision",         "reasoning",
                                              "streaming", "context_length", "max_output"};

constexpr std::int64_t tokens_max = 1'000'000'000;

// A key goes out in a header, where a line break from a key file would begin another one. It is not
// shown.
void read_key(const Value& value, std::vector<Secret>& keys) {
    auto text = value.secret();
    if (!text) return;
    if (!is_header_value(*text)) {
        value.complain("a key cannot have line breaks or other control characters in it");
        return;
    }
    keys.emplace_back(std::move(*text));
}

std::vector<Secret> read_keys(const Section& section) {
    std::vector<Secret> keys;
    const Value* one = section.find("api_key");
    const Value* several = section.find("keys");
    if (one && several) several->complain("there is an api_key already; write one of the two");
    if (one && !is_key_command(*one)) read_key(*one, keys);
    if (several)
        for (const Value& key : several->list()) read_key(key, keys);
    return keys;
}

void read_known_model(const Entry& entry, Provider& provider) {
    if (entry.key.empty()) entry.name.complain("a model needs a name");
    const auto section = entry.value.section(keys_of_facts);
    if (!section) return;
    KnownModel model{entry.key};
    const auto tokens = [](const Value& value) { return value.whole_number(1, tokens_max); };
    section->read("tools", &Value::boolean, model.facts.tools);
    section->read("vision", &Value::boolean, model.facts.vision);
    section->read("reasoning", &Value::boolean, model.facts.reasoning);
    section->read("streaming", &Value::boolean, model.facts.streaming);
    section->read("context_length", tokens, model.facts.context_length);
    section->read("max_output", tokens, model.facts.max_output);
    provider.models.push_back(std::move(model));
}

std::optional<std::string> read_kind(const Entry& entry, const Section& section) {
    const auto kinds = provider::kinds();
    if (const Value* kind = section.find("kind")) return kind->one_of(kinds);
    entry.name.complain(fmt::format("kind is missing; it is one of {}", fmt::join(kinds, ", ")));
    return std::nullopt;
}

// Each kind knows best what it cannot do without, e.g. a base URL.
void check_kind_takes(const Provider& provider, const Entry& entry) {
    provider::ProviderConfig config{provider.name, provider.kind, provider.base_url};
    config.api_version = provider.api_version;
    config.cloud = provider.cloud;
    const auto made = provider::make_provider(config);
    if (!made) entry.name.complain(made.error().message);
}

std::optional<std::string> base_url(const Value& value) {
    return value.text_that(is_base_url, "a URL such as https://api.example.com/v1");
}

std::optional<std::string> api_version(const Value& value) {
    return value.text_that(is_api_version, "a version such as 2024-10-21");
}

// AWS' own guardrail; Runnel's are a section of their own.
void read_guardrail(const Value& value, provider::CloudSettings& cloud) {
    const auto section = value.section(keys_of_guardrail);
    if (!section) return;
    section->read("id", &Value::some_text, cloud.guardrail);
    section->read("version", &Value::some_text, cloud.guardrail_version);
    if (cloud.guardrail.empty()) value.complain("id is missing: which guardrail is applied");
    // They go out in headers.
    if (!is_header_value(cloud.guardrail) || !is_header_value(cloud.guardrail_version))
        value.complain("id and version are a guardrail's, without line breaks");
}

// Only the clouds have such things.
void read_cloud(const Section& section, Provider& provider) {
    struct Setting {
        std::string_view key;
        std::string_view kind;
        std::string provider::CloudSettings::* value;
    };
    constexpr Setting settings[] = {{"region", "bedrock", &provider::CloudSettings::region},
                                    {"project", "vertex", &provider::CloudSettings::project},
                                    {"location", "vertex", &provider::CloudSettings::location},
                                    {"api", "bedrock", &provider::CloudSettings::api}};
    for (const Setting& setting : settings) {
        const Value* value = section.find(setting.key);
        if (value != nullptr && provider.kind != setting.kind)
            value->complain(fmt::format("only kind: {} has a {}", setting.kind, setting.key));
        section.read(setting.key, &Value::some_text, provider.cloud.*setting.value);
    }
    const Value* guardrail = section.find("guardrail");
    if (guardrail != nullptr && provider.kind != "bedrock") {
        guardrail->complain(
            "only kind: bedrock has a guardrail of its own; Runnel's stand in guardrails");
    } else if (guardrail != nullptr) {
        read_guardrail(*guardrail, provider.cloud);
    }
}

void read_who_asks(const Section& section, const Entry& entry, Provider& provider) {
    const Value* key = section.find("api_key");
    const Value* credentials = section.find("credentials");
    if (credentials != nullptr && (key != nullptr || section.find("keys") != nullptr)) {
        credentials->complain("there is an api_key already; write one of the two");
    } else if (credentials != nullptr) {
        provider.identity = read_identity(*credentials, provider.kind);
    } else if (key != nullptr && is_key_command(*key)) {
        provider.identity = read_key_command(*key);
    }
    const bool has_key = !provider.keys.empty() || provider.identity.index() != 0;
    if (provider.kind == "vertex" && provider.cloud.project.empty() && !has_key)
        entry.name.complain(
            "a provider of kind 'vertex' needs a project, e.g. project: my-project, "
            "or an api_key");
}

std::optional<std::string> proxy(const Value& value) {
    return value.text_that(is_proxy_url, "a URL such as http://proxy.example.com:3128");
}

}  // namespace

std::optional<Provider> read_provider(const Entry& entry) {
    const std::size_t problems = entry.name.problem_count();
    if (entry.key == built_in_provider) {
        entry.name.complain("this name is taken by the built-in demo models; choose another");
    } else if (!is_provider_name(entry.key)) {
        entry.name.complain("a provider's name has letters, digits, '.', '_' and '-' only");
    }
    const auto section = entry.value.section(keys_of_provider);
    if (!section) return std::nullopt;
    Provider provider;
    provider.name = entry.key;
    if (auto kind = read_kind(entry, *section)) provider.kind = std::move(*kind);
    section->read("base_url", base_url, provider.base_url);
    provider.keys = read_keys(*section);
    if (const Value* headers = section->find("headers")) provider.headers = read_headers(*headers);
    section->read("api_version", api_version, provider.api_version);
    read_cloud(*section, provider);
    read_who_asks(*section, entry, provider);
    section->read("proxy", proxy, provider.proxy);
    section->read("timeouts", read_timeouts, provider.timeouts);
    section->read("retries", read_retries, provider.retries);
    section->read("concurrent", read_concurrent, provider.concurrent);
    if (const Value* models = section->find("models"))
        for (const Entry& model : models->entries()) read_known_model(model, provider);

    if (entry.name.problem_count() == problems) check_kind_takes(provider, entry);
    if (entry.name.problem_count() > problems) return std::nullopt;
    return provider;
}

}  // namespace runnel::config
