#include "config/config.hpp"

#include "base/log.hpp"
#include "base/nearest.hpp"
#include "config/addresses.hpp"
#include "config/names.hpp"
#include "config/read_model.hpp"
#include "config/read_provider.hpp"
#include "config/yaml_reader.hpp"
#include "config/yaml_tree.hpp"
#include "provider/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_config[] = {"listen",    "data",   "threads",       "tls",
                                               "providers", "models", "default_model", "dialect",
                                               "id_prefix", "cors",   "limits",        "log"};
constexpr std::string_view keys_of_tls[] = {"cert", "key"};
constexpr std::string_view keys_of_cors[] = {"origins"};
constexpr std::string_view keys_of_limits[] = {"request_body", "request_header"};
constexpr std::string_view keys_of_log[] = {"format", "level"};
constexpr std::string_view log_formats[] = {"auto", "json", "text"};

constexpr std::int64_t threads_max = 1024;

std::optional<std::string> listen_address(const Value& value) {
    return value.text_that(
        is_listen_address,
        "an address such as 127.0.0.1:8080, [::1]:8080 or :8080 for every interface");
}

std::optional<std::string> id_prefix(const Value& value) {
    return value.text_that(is_id_prefix, "up to 32 letters, digits, '.', '_' and '-'");
}

std::optional<Tls> read_tls(const Value& value) {
    const auto section = value.section(keys_of_tls);
    if (!section) return std::nullopt;
    for (const std::string_view key : keys_of_tls)
        if (!section->find(key))
            value.complain(
                fmt::format("{} is missing; TLS needs a cert and a key, as PEM files", key));
    Tls tls;
    section->read("cert", &Value::some_text, tls.cert);
    section->read("key", &Value::some_text, tls.key);
    return tls;
}

std::optional<std::vector<std::string>> read_cors(const Value& value) {
    const auto section = value.section(keys_of_cors);
    const Value* listed = section ? section->find("origins") : nullptr;
    if (!listed) return std::nullopt;
    std::vector<std::string> origins;
    for (const Value& item : listed->list()) {
        auto origin =
            item.text_that(is_cors_origin, "an origin such as https://app.example.com, or *");
        if (origin) origins.push_back(std::move(*origin));
    }
    return origins;
}

std::optional<Limits> read_limits(const Value& value) {
    const auto section = value.section(keys_of_limits);
    if (!section) return std::nullopt;
    Limits read;
    const auto body = [](const Value& size) { return size.size(limits::kib, 1024 * limits::mib); };
    const auto header = [](const Value& size) { return size.size(limits::kib, limits::mib); };
    section->read("request_body", body, read.request_body_bytes);
    section->read("request_header", header, read.request_header_bytes);
    return read;
}

std::optional<Config::LogFormat> read_log_format(const Value& value) {
    const auto name = value.one_of(log_formats);
    if (!name) return std::nullopt;
    return *name == "json"   ? Config::LogFormat::json
           : *name == "text" ? Config::LogFormat::text
                             : Config::LogFormat::automatic;
}

void read_log(const Value& value, Config& config) {
    const auto section = value.section(keys_of_log);
    if (!section) return;
    const auto level = [](const Value& name) { return name.one_of(log::level_names()); };
    section->read("format", read_log_format, config.log_format);
    section->read("level", level, config.log_level);
}

// Names that a target may begin with, the built-in provider's last. Those with problems count too.
std::vector<std::string_view> provider_names(const std::vector<Entry>& providers) {
    std::vector<std::string_view> names;
    for (const Entry& entry : providers) names.push_back(entry.key);
    names.push_back(built_in_provider);
    return names;
}

// A bare name that this kind of provider is known for, e.g. "gpt-5".
bool claims(std::string_view kind, std::string_view model) {
    const auto catalogue = provider::catalogue_of(kind);
    const auto begins = [&](std::string_view prefix) { return model.starts_with(prefix); };
    return std::ranges::any_of(catalogue.prefixes, begins) ||
           std::ranges::find(catalogue.models, model) != catalogue.models.end();
}

void read_default_model(const Value& value, std::span<const std::string_view> providers,
                        const std::vector<Entry>& models, Config& config) {
    auto name = value.text();
    if (!name) return;
    std::vector<std::string_view> model_names;
    for (const Entry& entry : models) model_names.push_back(entry.key);
    const auto claims_it = [&](const Provider& provider) { return claims(provider.kind, *name); };
    const bool known = std::ranges::find(model_names, *name) != model_names.end() ||
                       std::ranges::any_of(config.providers, claims_it) ||
                       claims(built_in_provider, *name);
    // A provider that could not be read might have claimed it: one mistake, one message.
    const bool all_read = config.providers.size() + 1 == providers.size();
    if (!known && name->contains('/')) {
        name = read_target(value, providers);
    } else if (!known && all_read) {
        value.refuse("one of the models, or provider/model",
                     did_you_mean(value.node().text, model_names));
    }
    if (name) config.default_model = std::move(*name);
}

void read_routes(const Section& section, Config& config) {
    const Value* providers = section.find("providers");
    const Value* models = section.find("models");
    const auto provider_entries = providers ? providers->entries() : std::vector<Entry>();
    const auto model_entries = models ? models->entries() : std::vector<Entry>();
    const auto names = provider_names(provider_entries);
    for (const Entry& entry : provider_entries)
        if (auto provider = read_provider(entry)) config.providers.push_back(std::move(*provider));
    for (const Entry& entry : model_entries)
        if (auto model = read_model(entry, names)) config.models.push_back(std::move(*model));

    if (const Value* default_model = section.find("default_model"))
        read_default_model(*default_model, names, model_entries, config);
}

void read_file(const Value& file, Config& config) {
    const auto section = file.section(keys_of_config);
    if (!section) return;
    const auto threads = [](const Value& value) { return value.whole_number(0, threads_max); };
    section->read("listen", listen_address, config.listen);
    section->read("data", &Value::some_text, config.data);
    section->read("threads", threads, config.threads);
    section->read("tls", read_tls, config.tls);
    read_routes(*section, config);
    section->read("dialect", read_dialect, config.dialect);
    section->read("id_prefix", id_prefix, config.id_prefix);
    section->read("cors", read_cors, config.cors_origins);
    section->read("limits", read_limits, config.limits);
    if (const Value* log = section->find("log")) read_log(*log, config);
}

}  // namespace

std::expected<Config, std::vector<Problem>> read_config(std::string_view yaml,
                                                        Environment environment) {
    const auto tree = parse_yaml(yaml);
    if (!tree) return std::unexpected(std::vector{tree.error()});
    Reading reading{environment};
    Config config;
    read_file(Value(&*tree, "", &reading), config);
    if (reading.problems.empty()) return config;
    std::ranges::sort(reading.problems, {}, [](const Problem& problem) {
        return std::tuple(problem.line, problem.column, std::string_view(problem.message));
    });
    return std::unexpected(std::move(reading.problems));
}

}  // namespace runnel::config
