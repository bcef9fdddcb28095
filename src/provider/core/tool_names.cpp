#include "provider/core/tool_names.hpp"

#include "base/ascii.hpp"
#include "provider/core/stable_hash.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::provider {
namespace {

constexpr std::size_t mark_bytes = 9;  // what tells stand-ins apart: _ and eight digits

bool is_first_letter(char c) {
    return c == '_' || (ascii::is_alphanumeric(c) && !(c >= '0' && c <= '9'));
}

}  // namespace

bool ToolNameRule::allows(std::string_view name) const {
    if (bytes_max == 0) return true;
    const bool begins_well = first == First::any || (!name.empty() && is_first_letter(name[0]));
    return begins_well && !name.empty() && name.size() <= bytes_max &&
           std::ranges::all_of(
               name, [&](char c) { return ascii::is_alphanumeric(c) || marks.contains(c); });
}

std::string ToolNames::sent(std::string_view name) const {
    if (rule_.allows(name)) return std::string(name);
    std::string legal(name.substr(0, rule_.bytes_max - mark_bytes));
    for (char& c : legal)
        if (!ascii::is_alphanumeric(c) && !rule_.marks.contains(c)) c = '_';
    if (rule_.first == ToolNameRule::First::letter && !legal.empty() && !is_first_letter(legal[0]))
        legal[0] = '_';
    const auto mark = static_cast<std::uint32_t>(stable_hash(name));
    return fmt::format("{}_{:08x}", legal, mark);
}

std::vector<RenamedTool> ToolNames::renamed(const std::vector<chat::Tool>& tools) const {
    std::vector<RenamedTool> renamed;
    for (const chat::Tool& tool : tools)
        if (tool.kind != chat::Tool::Kind::provider && !rule_.allows(tool.name))
            renamed.push_back({sent(tool.name), tool.name});
    return renamed;
}

}  // namespace runnel::provider
