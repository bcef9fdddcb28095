#pragma once

#include "cli/litellm/deployment.hpp"

namespace runnel::cli {

// How LiteLLM's router_settings choose among entries of one name.
enum class LitellmRouting { shuffle, latency };

// Makes providers and models of the entries: those of one name are one model with several targets,
// and entries that differ in address or key are several providers.
void add_litellm_models(LitellmReading& reading, std::vector<LitellmDeployment> deployments,
                        LitellmRouting routing, ConfigDraft& draft);

// The name that Runnel has for a model: what it can't have in one is a -.
std::string runnel_model_name(std::string_view litellm_name);

// A time in seconds as the config writes it, within what it takes.
std::string config_time(double seconds);

// Within what the config takes; more is noted.
int config_retries(LitellmReading& reading, const config::Value& at, double retries);

}  // namespace runnel::cli
