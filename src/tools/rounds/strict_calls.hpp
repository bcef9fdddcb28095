#pragma once

#include "chat/request.hpp"
#include "tools/rounds/round_filter.hpp"

#include <string>
#include <vector>

namespace runnel::tools {

// True when the arguments of some of the client's tools must fit their schemas.
bool has_strict_tools(const chat::Request& request);

// What keeps a call's arguments from fitting the schema of its tool; none where that is not strict.
std::vector<std::string> strict_problems(const chat::Request& request,
                                         const RoundFilter::Call& call);

}  // namespace runnel::tools
