#pragma once

#include "access/auth_settings.hpp"
#include "access/caller.hpp"
#include "base/result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::access {

// Which tools of the config may be run for a caller: what its key lists, or all where that lists
// none; for a wallet, which proves nothing, those that the config says; for a browser's key, which
// everybody can read, none. A view of the caller and the settings.
class ToolAccess {
public:
    ToolAccess(const Caller& caller, const AuthSettings& settings);

    bool allows(std::string_view tool) const;
    // Those of them that may be run.
    std::vector<std::string> among(std::span<const std::string> tools) const;

    // Whether a client may have these run because it says so; what the config gives to a model is
    // the operator's word. `known` are those of the config. The error tells of no other tool than
    // the caller's own.
    Result<void> check_wish(std::span<const std::string> wanted,
                            std::span<const std::string> known) const;

private:
    const Key* key_;
    enum class Which { all, listed } which_ = Which::all;
    std::span<const std::string> listed_{};
};

}  // namespace runnel::access
