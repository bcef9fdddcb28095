#pragma once

#include "access/auth_settings.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "cache/settings.hpp"
#include "guardrail/rule.hpp"
#include "metering/settings.hpp"
#include "provider/cloud_settings.hpp"
#include "provider/credentials/settings.hpp"
#include "router/policy.hpp"
#include "storage/settings.hpp"
#include "tools/config.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::config {

// What the config knows of a provider's model, before the catalogue that ships with Runnel.
struct KnownModel {
    std::string name;
    router::ModelFacts facts{};
};

struct Provider {
    std::string name;
    std::string kind;
    std::string base_url{};      // empty: the kind's own
    std::vector<Secret> keys{};  // api_key, or keys in their order
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string api_version{};  // Azure
    provider::CloudSettings cloud{};
    provider::IdentitySettings identity{};  // who asks, where that is no key
    std::string proxy{};                    // http://host:port; empty: the environment's
    router::Timeouts timeouts{};
    std::optional<int> retries{};
    std::size_t concurrent = 0;        // requests at a time; 0: any number
    std::vector<KnownModel> models{};  // overrides the catalogue's facts, and adds to its list
};

struct Target {
    std::string name;  // provider/model
    unsigned weight = 1;
};

struct Model {
    std::string name;
    std::vector<Target> targets{};  // in failover order
    std::string system{};           // put before the conversation
    std::string defaults_json{};    // a JSON object of request fields; empty: none
    std::string dialect{};          // empty: the server's
    router::Policy policy{};
    // A model that can't stream sends streaming requests to its stream_fallback, another model.
    enum class Streams { yes, no } streams = Streams::yes;
    std::string stream_fallback{};
    std::optional<std::int64_t> max_tokens{};  // more is cut down to this
    std::size_t concurrent = 0;                // requests at a time; 0: any number
    std::vector<std::string> tools{};          // that are run here, by their names in `tools`
    // Of these, by API: those that its clients are never shown; "*" is every tool.
    std::map<std::string, std::vector<std::string>, std::less<>> hidden_tools{};
    bool text_tool_calls = false;           // it writes its calls into its text
    std::vector<std::string> guardrails{};  // that apply whatever a request says
    bool cached = true;                     // where there is a cache
    // Whether its targets are all the same model, so that any of them may give embeddings.
    router::SameModel same_model = router::SameModel::by_name;
    std::string id{};  // a UUID that browser keys name it by
    int max_tool_rounds = limits::tool_rounds;
};

struct Limits {
    std::size_t request_body_bytes = limits::request_body_bytes;
    std::size_t request_header_bytes = limits::request_header_bytes;
    std::size_t concurrent = limits::concurrent_requests;  // requests at a time
    std::size_t queue = limits::queued_requests;           // that may wait for one to end
    std::chrono::milliseconds queue_time = limits::queue_time;
    std::size_t memory_bytes = 0;  // for requests and answers together; 0: a share of the machine's
    std::size_t connections = 0;   // of clients; 0: as many as descriptors allow
    std::size_t connections_per_address = 0;                          // 0: a share of all
    std::chrono::milliseconds head_time = limits::request_read_time;  // for the header fields
    std::chrono::milliseconds body_time = limits::request_read_time;  // without progress
};

struct Tls {
    std::string cert;
    std::string key;
    std::string
        client_ca{};  // who signs the certificates of clients; empty: nobody is asked for one
};

// Where spans of requests go, and of how many.
struct Traces {
    std::string endpoint{};  // http://127.0.0.1:4318/v1/traces
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string service_name = "runnel";
    double sample = 1;  // the share of those that belong to nobody's trace

    friend bool operator==(const Traces&, const Traces&) = default;
};

// Who may do what, what it may cost, and what is kept of it.
struct AccessSettings {
    access::AuthSettings auth{};
    std::optional<cache::Settings> cache{};  // none: answers are not kept
    storage::StoreSettings store{};
    storage::SharedSettings shared{};
    storage::LogSettings logs{};
    storage::ResponseSettings responses{};
    metering::SharedLimits limits{};
    std::vector<guardrail::GuardrailRule> guardrails{};
    metering::PriceSettings prices{};
};

struct Config {
    std::string listen = "127.0.0.1:8080";
    std::string data = "./data";
    unsigned threads = 0;  // 0: one per core
    std::optional<Tls> tls{};
    // Proxies before the gateway, as addresses and CIDR ranges, that may say who the client is.
    std::vector<std::string> trusted_proxies{};
    bool proxy_protocol = false;  // connections begin with a PROXY header (version 2)
    std::vector<Provider> providers{};
    std::vector<Model> models{};
    // The file's, and the built-in ones that models name without an entry.
    std::vector<tools::ToolConfig> tools{};
    std::vector<std::pair<std::string, std::string>> aliases{};  // another name for a model
    std::string default_model{};
    router::Policy policy{};  // of models that say nothing else
    std::string dialect = "openai";
    std::string id_prefix = "chatcmpl-";
    std::vector<std::string> cors_origins{};  // whose pages may ask; "*": everybody's
    // Names that the gateway goes by, besides addresses and localhost: with open auth, requests for
    // others are refused.
    std::vector<std::string> hosts{};
    Limits limits{};
    std::chrono::milliseconds ping{limits::ping_time};  // of silence in a stream; 0: never
    std::chrono::milliseconds drain_timeout{limits::drain_time};
    Secret admin_token{};
    // Who may read /metrics: those who may administer, or everybody.
    enum class MetricsAccess { admin, open } metrics_access = MetricsAccess::admin;
    AccessSettings access{};
    enum class LogFormat { automatic, json, text } log_format = LogFormat::automatic;
    std::string log_level = "info";
    std::optional<Traces> traces{};           // none: nobody is told
    std::vector<std::string> secret_files{};  // that secrets of this config were read from
};

// Where in the file something is wrong, and what to do about it.
struct Problem {
    int line = 0;
    int column = 0;
    std::string message;
};

// Reads and checks a config file's text. `environment` answers ${NAME}; null for a variable that is
// not set. Secrets in files are read too; their relative paths begin at `folder` (empty: where the
// process runs). Every problem found is reported, not only the first.
using Environment = const char* (*)(const char* name);
// A text that is only looked at may have masks in place of its secrets.
enum class Secrets { real, masked };
std::expected<Config, std::vector<Problem>> read_config(std::string_view yaml,
                                                        Environment environment,
                                                        const std::string& folder = {},
                                                        Secrets secrets = Secrets::real);

// What serves when there is no file: the demo models and every provider whose usual key variable is
// set.
Config default_config(Environment environment);

}  // namespace runnel::config
