#include "access/tool_access.hpp"

#include "access/key_check.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::access {
namespace {

constexpr std::size_t quoted_tool_bytes = 128;  // of a client's name, in a message

}  // namespace

ToolAccess::ToolAccess(const Caller& caller, const AuthSettings& settings)
    : key_(caller.key.get()) {
    if (caller.is_browser()) {
        which_ = Which::listed;
    } else if (key_ != nullptr && key_->tools) {
        which_ = Which::listed;
        listed_ = *key_->tools;
    } else if (caller.kind == Caller::Kind::wallet) {
        which_ = Which::listed;
        listed_ = settings.wallet_tools;
    }
}

bool ToolAccess::allows(std::string_view tool) const {
    return which_ == Which::all || std::ranges::find(listed_, tool) != listed_.end();
}

std::vector<std::string> ToolAccess::among(std::span<const std::string> tools) const {
    std::vector<std::string> allowed;
    std::ranges::copy_if(tools, std::back_inserter(allowed),
                         [this](const std::string& tool) { return allows(tool); });
    return allowed;
}

Result<void> ToolAccess::check_wish(std::span<const std::string> wanted,
                                    std::span<const std::string> known) const {
    if (wanted.empty()) return {};
    if (key_ != nullptr && !has_scope(*key_, Scope::tools_execute))
        return fail_at(ErrorKind::insufficient_scope, "builtin_tools",
                       fmt::format("this key lacks the scope {}, without which builtin_tools can't "
                                   "be asked for; it has {}",
                                   name_of(Scope::tools_execute), fmt::join(key_->scopes, ", ")));
    const std::vector<std::string> own = among(known);
    for (const std::string& name : wanted) {
        if (std::ranges::find(own, name) != own.end()) continue;
        return fail_at(
            ErrorKind::invalid_value, "builtin_tools.tools",
            own.empty() ? fmt::format("there is no tool '{}': none may be run for this caller",
                                      utf8_prefix(name, quoted_tool_bytes))
                        : fmt::format("there is no tool '{}'; there are: {}",
                                      utf8_prefix(name, quoted_tool_bytes), fmt::join(own, ", ")));
    }
    return {};
}

}  // namespace runnel::access
