#pragma once

#include <string_view>
#include <vector>

namespace runnel::provider {

// Which models a kind of provider is known for.
struct Catalogue {
    std::vector<std::string_view> prefixes{};  // bare names that begin so are this provider's
    std::vector<std::string_view> models{};    // well-known ones, for listing
    std::string_view needless_prefix{};        // of a name, which means the same without it
    enum class Others { passed_on, refused } others = Others::passed_on;  // names not among them
};

Catalogue catalogue_of(std::string_view kind);

}  // namespace runnel::provider
