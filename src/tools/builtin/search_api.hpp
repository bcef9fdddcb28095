#pragma once

#include "http/client/client.hpp"
#include "tools/config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

struct SearchHit {
    std::string title;
    std::string url;
    std::string snippet;
};

// The request that searches for `query`; an error where the config's URL is none.
Result<http::ClientRequest> write_search(const SearchConfig& config, std::string_view query,
                                         int count);

// What its answer says, `count` hits at most.
Result<std::vector<SearchHit>> read_hits(const SearchConfig& config, const std::string& body,
                                         int count);

}  // namespace runnel::tools
