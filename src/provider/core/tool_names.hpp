#pragma once

#include "chat/request.hpp"
#include "provider/core/turn.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {

// What a provider lets a tool be called: letters, digits and these marks.
struct ToolNameRule {
    std::size_t bytes_max = 64;  // 0: whatever the client calls it
    std::string_view marks = "_-";
    enum class First { any, letter } first = First::any;  // an underscore is a letter

    bool allows(std::string_view name) const;
};

inline constexpr ToolNameRule any_tool_name{.bytes_max = 0};

// A tool's name as a provider gets it: itself where that is allowed, and otherwise a stand-in that
// is the same for the same name whatever other tools there are. Turn says the client's name again.
class ToolNames {
public:
    explicit ToolNames(const ToolNameRule& rule) : rule_(rule) {}

    std::string sent(std::string_view name) const;
    // Those that have a stand-in, for TurnOptions.
    std::vector<RenamedTool> renamed(const std::vector<chat::Tool>& tools) const;

private:
    ToolNameRule rule_;
};

}  // namespace runnel::provider
