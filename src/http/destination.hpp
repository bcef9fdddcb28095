#pragma once

#include "http/origin.hpp"
#include "http/upstream.hpp"

#include <string_view>

namespace runnel::http {

// Where requests to `origin` go: through `proxy`, or where that is empty through the one that the
// environment asks for.
Result<Destination> find_destination(std::string_view origin, std::string_view proxy,
                                     Environment environment);

}  // namespace runnel::http
