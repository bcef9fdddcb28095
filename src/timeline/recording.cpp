#include "timeline/recording.hpp"

namespace runnel::timeline {

std::string_view Recording::keep(std::string_view text) {
    if (text.empty()) return {};
    text_bytes_ += sizeof(std::string) + text.size();
    return texts_.emplace_back(text);
}

void Recording::on(const Event& event) {
    Event kept = event;
    std::visit(Overload{
                   [&](Text& e) { e.text = keep(e.text); },
                   [&](Reasoning& e) { e.text = keep(e.text); },
                   [&](Refusal& e) { e.text = keep(e.text); },
                   [&](ToolStarted& e) {
                       e.id = keep(e.id);
                       e.name = keep(e.name);
                   },
                   [&](ToolArguments& e) { e.fragment = keep(e.fragment); },
                   [&](ServerTool& e) {
                       e.id = keep(e.id);
                       e.name = keep(e.name);
                       e.arguments_raw = keep(e.arguments_raw);
                       e.result_raw = keep(e.result_raw);
                       e.explanation_raw = keep(e.explanation_raw);
                   },
                   [&](Annotation& e) { e.raw = keep(e.raw); },
                   [&](Media& e) { e.raw = keep(e.raw); },
                   [&](Logprobs& e) { e.raw = keep(e.raw); },
                   [&](ProviderState& e) {
                       e.call_id = keep(e.call_id);
                       e.raw = keep(e.raw);
                   },
                   [&](Finished& e) { e.native = keep(e.native); },
                   [](Started&) {},
                   [](ToolEnded&) {},
                   [](HoldOver&) {},
                   [](UsageReported&) {},
                   [](Failed&) {},
                   [](Ended&) {},
               },
               kept);
    events_.push_back(std::move(kept));
}

void Recording::replay(Sink* to) const {
    for (const Event& event : events_) to->on(event);
}

void Recording::clear() {
    events_.clear();
    texts_.clear();
    text_bytes_ = 0;
}

}  // namespace runnel::timeline
