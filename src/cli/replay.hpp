#pragma once

#include "cli/gateway_client.hpp"

#include <ostream>
#include <string>

namespace runnel::cli {

struct ReplayOptions {
    std::string id;
    std::string url{default_gateway_url};
    std::string key{};
    std::string dialect = "openai";
    std::string pace = "none";  // real: with the pauses that it had
};

// `runnel replay ID`: the frames of an answer that a running gateway has kept. The process's exit
// status.
int replay(const ReplayOptions& options, std::ostream& out, std::ostream& err);

}  // namespace runnel::cli
