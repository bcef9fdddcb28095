#pragma once

#include "router/router.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace runnel::server {

// The models that a config names. Clients may ask for any; metrics tell only these apart, so that
// there are never more of them than the config has.
class ModelNames {
public:
    explicit ModelNames(const router::Router& router);

    // The name itself, or telemetry::other_label.
    std::string_view label_of(std::string_view model) const;

private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::unordered_set<std::string, Hash, std::equal_to<>> names_;
};

}  // namespace runnel::server
