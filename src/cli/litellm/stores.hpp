#pragma once

#include "cli/litellm/draft.hpp"
#include "cli/litellm/reading.hpp"

namespace runnel::cli {

// cache and cache_params of litellm_settings.
void read_litellm_cache(LitellmReading& reading, const config::Value& section, ConfigDraft& draft);

// redis_host and its like, of router_settings; also `host` and its like, of cache_params.
bool is_litellm_redis_key(std::string_view key);
void read_litellm_redis(LitellmReading& reading, const config::Value& section, ConfigDraft& draft);

void read_litellm_database(LitellmReading& reading, const config::Value& url, ConfigDraft& draft);

// How long spend logs are kept, e.g. 30d.
void read_litellm_retention(LitellmReading& reading, const config::Value& time,
                            ConfigDraft::Fields& logs);

}  // namespace runnel::cli
