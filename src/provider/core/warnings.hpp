#pragma once

#include <string>
#include <string_view>
#include <vector>

// What a request lost on its way, in single words, for X-Gateway-Warnings.
namespace runnel::provider {

// Each word is said once.
void add_warning(std::vector<std::string>& warnings, std::string_view word);

// The word for a field that the provider would refuse. The name is the client's, and is made safe
// for a header.
std::string dropped(std::string_view name);
// The same for a tool of another provider's.
std::string dropped_tool(std::string_view type);

}  // namespace runnel::provider
