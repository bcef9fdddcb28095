#include "config/addresses.hpp"
#include "config/names.hpp"
#include "config/sections/policy.hpp"
#include "config/sections/sections.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_provider[] = {"kind",    "base_url",    "api_key", "keys",
                                                 "headers", "api_version", "proxy",   "timeouts",
                                                 "retries", "concurrent",  "models"};
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
    if (one) read_key(*one, keys);
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
    const auto made = provider::make_provider(config);
    if (!made) entry.name.complain(made.error().message);
}

std::optional<std::string> base_url(const Value& value) {
    return value.text_that(is_base_url, "a URL such as https://api.example.com/v1");
}

std::optional<std::string> api_version(const Value& value) {
    return value.text_that(is_api_version, "a version such as 2024-10-21");
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
