#pragma once

#include "config/config.hpp"

#include <string>
#include <vector>

namespace runnel::config {

// What a config that was read again has and the one before it had not, in names.
struct Changes {
    std::vector<std::string> providers_added{};
    std::vector<std::string> providers_removed{};
    std::vector<std::string> models_added{};
    std::vector<std::string> models_removed{};
    // Keys whose new value only counts after a restart.
    std::vector<std::string> need_restart{};
};

Changes compare(const Config& before, const Config& after);

}  // namespace runnel::config
