#include "timeline/event.hpp"

namespace runnel::timeline {

std::string_view name_of(Finish finish) {
    switch (finish) {
        case Finish::stop: return "stop";
        case Finish::length: return "length";
        case Finish::tool_calls: return "tool_calls";
        case Finish::content_filter: return "content_filter";
        case Finish::pause: return "pause";
    }
    return "stop";
}

bool is_visible(const Event& event) {
    if (const auto* native = std::get_if<Native>(&event)) return native->what == Native::What::item;
    return std::holds_alternative<Text>(event) || std::holds_alternative<Reasoning>(event) ||
           std::holds_alternative<Refusal>(event) || std::holds_alternative<ToolStarted>(event) ||
           std::holds_alternative<ToolArguments>(event) ||
           std::holds_alternative<Citation>(event) || std::holds_alternative<Media>(event) ||
           std::holds_alternative<Finished>(event);
}

}  // namespace runnel::timeline
