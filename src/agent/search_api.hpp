#pragma once

#include "agent/tool_config.hpp"
#include "agent/web_client.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::agent {

struct SearchHit {
    std::string title;
    std::string url;
    std::string snippet;
};

// The request that searches for `query`; an error where the config's URL is none.
Result<WebRequest> write_search(const SearchConfig& config, std::string_view query, int count);

// What its answer says, `count` hits at most.
Result<std::vector<SearchHit>> read_hits(const SearchConfig& config, const std::string& body,
                                         int count);

}  // namespace runnel::agent
