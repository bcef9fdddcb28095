#include "cli/litellm/deployment.hpp"

#include "base/ascii.hpp"
#include "base/is_in.hpp"
#include "cli/litellm/providers.hpp"
#include "config/addresses.hpp"
#include "config/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::cli {
namespace {

using config::Entry;
using config::Value;

constexpr std::string_view request_fields[]{
    "temperature",      "top_p", "max_tokens", "max_completion_tokens", "frequency_penalty",
    "presence_penalty", "seed",  "stop",       "reasoning_effort",      "response_format",
    "logit_bias",       "user",  "thinking",   "parallel_tool_calls",   "top_k"};
constexpr std::string_view price_fields[]{
    "input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost",
    "cache_creation_input_token_cost", "output_cost_per_reasoning_token"};
// What Runnel does for every request.
constexpr std::string_view needless[]{"drop_params", "description", "mode"};
constexpr std::string_view chat_modes[]{"chat", "completion", "responses"};
// What people write where a server wants no key.
constexpr std::string_view no_keys[]{"",
                                     "none",
                                     "null",
                                     "empty",
                                     "fake",
                                     "fake-key",
                                     "dummy",
                                     "no-key",
                                     "not-needed",
                                     "anything",
                                     "sk-no-key-required"};

struct Number {
    std::string_view key;
    std::optional<double> LitellmDeployment::* into;
};
constexpr Number numbers[]{{"weight", &LitellmDeployment::weight},
                           {"order", &LitellmDeployment::order},
                           {"rpm", &LitellmDeployment::rpm},
                           {"tpm", &LitellmDeployment::tpm},
                           {"max_parallel_requests", &LitellmDeployment::concurrent},
                           {"timeout", &LitellmDeployment::timeout_seconds},
                           {"stream_timeout", &LitellmDeployment::stream_timeout_seconds},
                           {"num_retries", &LitellmDeployment::retries},
                           {"max_retries", &LitellmDeployment::retries}};

struct Fact {
    std::string_view litellm;
    std::string_view ours;
};
constexpr Fact facts[]{
    {"supports_function_calling", "tools"}, {"supports_vision", "vision"},
    {"supports_reasoning", "reasoning"},    {"supports_native_streaming", "streaming"},
    {"max_input_tokens", "context_length"}, {"max_output_tokens", "max_output"}};

// X-Team-Key is X_TEAM_KEY.
std::string variable_for(std::string_view header) {
    std::string name(header);
    for (char& c : name)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '-' ? '_' : c;
    return name;
}

// Headers that may hold a key; the others are copied.
bool may_be_secret(std::string_view header) {
    const std::string name = ascii::lowered(header);
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"auth", "key", "token", "secret", "cookie"},
        [&](std::string_view part) { return name.contains(part); });
}

void add_price(LitellmReading& reading, const Entry& entry, LitellmDeployment& deployment) {
    if (!read_litellm_number(reading, entry.value)) return;
    const auto known =
        std::ranges::find(deployment.price, entry.key, [](const auto& one) { return one.first; });
    if (known == deployment.price.end())
        deployment.price.emplace_back(entry.key, entry.value.node().text);
}

// Half of a price is none.
void check_price(LitellmReading& reading, LitellmDeployment& deployment) {
    const auto has = [&](std::string_view field) {
        return std::ranges::any_of(deployment.price,
                                   [&](const auto& one) { return one.first == field; });
    };
    if (deployment.price.empty() || (has(price_fields[0]) && has(price_fields[1]))) return;
    reading.note(deployment.at, "a price needs input_cost_per_token and output_cost_per_token; "
                                "what there is of one is left out");
    deployment.price.clear();
}

// One entry's litellm_params, with what its credential adds.
class Parameters {
public:
    Parameters(LitellmReading* reading, std::vector<Entry> entries, LitellmDeployment* deployment)
        : reading_(*reading),
          entries_(std::move(entries)),
          deployment_(*deployment) {}

    void add(const LitellmCredentials& credentials) {
        const Value* name = find_entry(entries_, "litellm_credential_name");
        if (name == nullptr) return;
        const Value* values = find_entry(credentials, name->node().text);
        if (values == nullptr) {
            name->complain("no entry of credential_list has this name");
            return;
        }
        for (Entry& entry : entries_with_values(*values))
            if (find_entry(entries_, entry.key) == nullptr) entries_.push_back(std::move(entry));
    }

    // Whether Runnel can serve it.
    bool read() {
        if (!read_model()) return false;
        read_address();
        read_key();
        for (const Entry& entry : entries_) read_entry(entry);
        return true;
    }

private:
    bool read_model() {
        const Value* model = find_entry(entries_, "model");
        if (model == nullptr || model->node().text.empty()) {
            deployment_.at.complain("litellm_params.model is missing");
            return false;
        }
        auto name = read_litellm_text(reading_, *model, "openai/gpt");
        if (!name) return false;
        if (name->starts_with("${")) {
            reading_.note(*model,
                          "a model can't come from a variable here; this entry is left out");
            return false;
        }
        LitellmModelName split = split_litellm_model(*name);
        if (const Value* provider = find_entry(entries_, "custom_llm_provider")) {
            split.model = split.provider == provider->node().text ? split.model : *name;
            split.provider = provider->node().text;
        }
        if (split.model.empty()) {
            reading_.note(*model, "it names no model; this entry is left out");
            return false;
        }
        litellm_ = find_litellm_provider(split.provider);
        if (litellm_ == nullptr) {
            reading_.note(*model,
                          fmt::format("Runnel has no kind of provider for '{}'; this entry is left "
                                      "out. What has an OpenAI-compatible endpoint can be served "
                                      "with kind: openai-compatible and a base_url",
                                      split.provider.empty() ? split.model : split.provider));
            return false;
        }
        deployment_.provider.kind = litellm_->kind;
        deployment_.model = std::move(split.model);
        return true;
    }

    void read_address() {
        ConfigDraft::Provider& provider = deployment_.provider;
        const Value* base = find_entry(entries_, "api_base");
        if (base == nullptr) base = find_entry(entries_, "base_url");
        if (base != nullptr) {
            if (auto url = read_litellm_text(reading_, *base, sample::url))
                provider.base_url = *url;
            while (provider.base_url.ends_with('/')) provider.base_url.pop_back();
            if (!provider.base_url.starts_with("${") && !config::is_base_url(provider.base_url))
                base->refuse("a URL such as https://api.example.com/v1");
            // Anybody's server speaks that protocol; what only OpenAI wants is left out there.
            if (provider.kind == "openai" && !provider.base_url.contains("api.openai.com"))
                provider.kind = "openai-compatible";
        } else if (!litellm_->base_url.empty()) {
            provider.base_url = litellm_->base_url;
        } else if (provider.kind == "azure" || provider.kind == "openai-compatible") {
            provider.base_url = reading_.variables.reference(litellm_->base_variable, sample::url);
        }
        if (const Value* version = find_entry(entries_, "api_version")) {
            auto text = read_litellm_text(reading_, *version, sample::api_version);
            if (text && !text->starts_with("${") && !config::is_api_version(*text))
                version->refuse("a version such as 2024-10-21");
            if (text) provider.api_version = *text;
        }
    }

    void read_key() {
        ConfigDraft::Provider& provider = deployment_.provider;
        const Value* key = find_entry(entries_, "api_key");
        if (key == nullptr) {
            // The usual key is not for anybody's server.
            const bool elsewhere = litellm_->kind != provider.kind;
            if (!elsewhere && !litellm_->key_variable.empty())
                provider.keys = {reading_.variables.reference(litellm_->key_variable, sample::key)};
            return;
        }
        const bool wants_none = provider.kind == "openai-compatible" || provider.kind == "vllm" ||
                                provider.kind == "lmstudio" || provider.kind == "ollama";
        if (wants_none && is_in(ascii::lowered(key->node().text), no_keys)) return;
        const bool is_usual = litellm_->kind == provider.kind && !litellm_->key_variable.empty();
        const std::string_view usual = is_usual ? litellm_->key_variable : "CUSTOM_API_KEY";
        auto text = read_litellm_secret(reading_, *key, usual);
        if (text && !text->empty()) provider.keys = {*text};
    }

    void read_headers(const Value& value) {
        for (const Entry& header : entries_with_values(value)) {
            if (config::is_framing_header(header.key) || !config::is_header_name(header.key)) {
                reading_.note(header.value, "such a header can't be chosen");
                continue;
            }
            auto text = may_be_secret(header.key)
                            ? read_litellm_secret(reading_, header.value, variable_for(header.key))
                            : read_litellm_text(reading_, header.value, sample::key);
            if (text) deployment_.provider.headers.emplace_back(header.key, *text);
        }
    }

    void read_entry(const Entry& entry) {
        const std::string& key = entry.key;
        const Value& value = entry.value;
        if (const auto number = std::ranges::find(numbers, key, &Number::key);
            number != std::end(numbers)) {
            deployment_.*number->into = read_litellm_number(reading_, value);
        } else if (key == "extra_headers" || key == "headers") {
            read_headers(value);
        } else if (key == "organization") {
            read_organization(value);
        } else if (is_in(key, price_fields)) {
            add_price(reading_, entry, deployment_);
        } else if (is_in(key, request_fields)) {
            deployment_.defaults.emplace_back(key, litellm_value_as_yaml(value));
        } else if (!is_in(key, read_before) && !is_in(key, needless)) {
            reading_.note(value, nothing_like_it);
        }
    }

    void read_organization(const Value& value) {
        if (auto text = read_litellm_text(reading_, value, sample::key))
            deployment_.provider.headers.emplace_back("OpenAI-Organization", *text);
    }

    static constexpr std::string_view read_before[]{
        "model",   "custom_llm_provider",    "api_base", "base_url", "api_version",
        "api_key", "litellm_credential_name"};

    LitellmReading& reading_;
    std::vector<Entry> entries_;
    LitellmDeployment& deployment_;
    const LitellmProvider* litellm_ = nullptr;
};

void add_fact(LitellmReading& reading, const Fact& fact, const Value& value,
              LitellmDeployment& deployment) {
    if (fact.litellm.starts_with("supports_")) {
        if (const auto has = value.boolean())
            deployment.facts.emplace_back(fact.ours, *has ? "true" : "false");
    } else if (const auto count = read_litellm_number(reading, value); count && *count >= 1) {
        deployment.facts.emplace_back(fact.ours, fmt::format("{:.0f}", *count));
    }
}

// Whether it is a model for chats.
bool read_info(LitellmReading& reading, const Value& info, LitellmDeployment& deployment) {
    const auto entries = entries_with_values(info);
    const Value* mode = find_entry(entries, "mode");
    if (mode != nullptr && !is_in(mode->node().text, chat_modes)) {
        reading.note(*mode, "Runnel serves chats only; this entry is left out");
        return false;
    }
    for (const Entry& entry : entries) {
        const auto fact = std::ranges::find(facts, entry.key, &Fact::litellm);
        if (fact != std::end(facts)) {
            add_fact(reading, *fact, entry.value, deployment);
        } else if (is_in(entry.key, price_fields)) {
            add_price(reading, entry, deployment);
        } else if (entry.key == "base_model") {
            reading.note(entry.value, "Runnel finds a price by the name of the deployment; if that "
                                      "is not the model's, write the price under prices");
        } else if (!is_in(entry.key, needless)) {
            reading.note(entry.value, nothing_like_it);
        }
    }
    return true;
}

}  // namespace

std::optional<LitellmDeployment> read_litellm_deployment(LitellmReading& reading,
                                                         const Value& entry,
                                                         const LitellmCredentials& credentials) {
    const auto fields = entries_with_values(entry);
    const Value* name = find_entry(fields, "model_name");
    const Value* params = find_entry(fields, "litellm_params");
    if (name == nullptr || params == nullptr) {
        entry.complain("an entry of model_list needs model_name and litellm_params");
        return std::nullopt;
    }
    auto text = name->some_text();
    if (!text) return std::nullopt;
    LitellmDeployment deployment{std::move(*text), *name};
    Parameters parameters(&reading, entries_with_values(*params), &deployment);
    parameters.add(credentials);
    const Value* info = find_entry(fields, "model_info");
    if (info != nullptr && !read_info(reading, *info, deployment)) return std::nullopt;
    if (!parameters.read()) return std::nullopt;
    for (const Entry& field : fields)
        if (field.key != "model_name" && field.key != "litellm_params" && field.key != "model_info")
            reading.note(field.value, nothing_like_it);
    check_price(reading, deployment);
    return deployment;
}

}  // namespace runnel::cli
