#pragma once

#include "provider/provider.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace runnel::provider {

// The headers that every JSON request has.
std::vector<Header> json_headers(std::optional<chat::Streaming> streaming,
                                 std::string_view stream_type);

// Adds the configured headers; each takes the place of one of the same name, whatever its case.
void add_configured(std::vector<Header>& headers, const std::vector<Header>& configured);

}  // namespace runnel::provider
