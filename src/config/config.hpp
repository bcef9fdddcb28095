#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::config {

struct Timeouts {
    std::chrono::milliseconds connect = limits::connect_time;
    std::chrono::milliseconds first_token = limits::first_token_time;
    std::chrono::milliseconds idle = limits::idle_time;
    std::chrono::milliseconds total = limits::total_time;
};

struct Provider {
    std::string name;
    std::string kind;
    std::string base_url{};      // empty: the kind's own
    std::vector<Secret> keys{};  // api_key, or keys in their order
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string api_version{};  // Azure
    std::string proxy{};        // http://host:port; empty: the environment's
    Timeouts timeouts{};
};

struct Model {
    std::string name;
    std::vector<std::string> targets{};  // provider/model, in failover order
    std::string system{};                // put before the conversation
    std::string defaults_json{};         // a JSON object of request fields; empty: none
    std::string dialect{};               // empty: the server's
};

struct Limits {
    std::size_t request_body_bytes = limits::request_body_bytes;
    std::size_t request_header_bytes = limits::request_header_bytes;
};

struct Tls {
    std::string cert;
    std::string key;
};

struct Config {
    std::string listen = "127.0.0.1:8080";
    std::string data = "./data";
    unsigned threads = 0;  // 0: one per core
    std::optional<Tls> tls{};
    std::vector<Provider> providers{};
    std::vector<Model> models{};
    std::string default_model{};
    std::string dialect = "openai";
    std::string id_prefix = "chatcmpl-";
    std::vector<std::string> cors_origins{"*"};
    Limits limits{};
    enum class LogFormat { automatic, json, text } log_format = LogFormat::automatic;
    std::string log_level = "info";
};

// Where in the file something is wrong, and what to do about it.
struct Problem {
    int line = 0;
    int column = 0;
    std::string message;
};

// Reads and checks a config file's text. `environment` answers ${NAME}; null for a variable that is
// not set. Every problem found is reported, not only the first.
using Environment = const char* (*)(const char* name);
std::expected<Config, std::vector<Problem>> read_config(std::string_view yaml,
                                                        Environment environment);

// What serves when there is no file: the demo models and every provider whose usual key variable is
// set.
Config default_config(Environment environment);

}  // namespace runnel::config
