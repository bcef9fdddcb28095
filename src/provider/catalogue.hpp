#pragma once

#include "router/policy.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace runnel::provider {

// What is known of all models whose names begin so.
struct ModelFamily {
    std::string_view prefix;
    router::ModelFacts facts;
};

// Which models a kind of provider is known for, and what they can do.
struct Catalogue {
    std::vector<std::string_view> prefixes{};  // bare names that begin so are this provider's
    std::vector<std::string_view> models{};    // well-known ones, for listing
    enum class Others { passed_on, refused } others = Others::passed_on;  // names not among them
    std::span<const ModelFamily> families{};  // the first whose prefix fits a name counts

    router::ModelFacts facts_of(std::string_view model) const;
};

Catalogue catalogue_of(std::string_view kind);

}  // namespace runnel::provider
