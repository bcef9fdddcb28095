#include "timeline/answer.hpp"

namespace runnel::timeline {

Answer::Choice& Fold::at(Choice choice) {
    const auto index = static_cast<std::size_t>(choice);
    if (index >= answer_.choices.size()) answer_.choices.resize(index + 1);
    return answer_.choices[index];
}

void Fold::add(std::string& text, std::string_view piece) {
    text += piece;
    bytes_ += piece.size();
}

void Fold::add(std::vector<std::string>& raws, std::string_view raw) {
    raws.emplace_back(raw);
    bytes_ += sizeof(std::string) + raw.size();
}

void Fold::on(const Event& event) {
    std::visit(
        Overload{
            [](const Started&) {},
            [&](const Text& e) { add(at(e.choice).text_escaped, e.text); },
            [&](const Reasoning& e) { add(at(e.choice).reasoning_escaped, e.text); },
            [&](const Refusal& e) { add(at(e.choice).refusal_escaped, e.text); },
            [&](const ToolStarted& e) {
                at(e.choice).tool_calls.push_back({std::string(e.id), std::string(e.name), {}});
                bytes_ += sizeof(Answer::ToolCall) + e.id.size() + e.name.size();
            },
            [&](const ToolArguments& e) {
                auto& call = at(e.choice).tool_calls.at(static_cast<std::size_t>(e.index));
                add(call.arguments_escaped, e.fragment);
            },
            [](const ToolEnded&) {},
            [&](const ServerTool&) { at(0).interim_bytes = at(0).text_escaped.size(); },
            [](const HoldOver&) {},
            [&](const Annotation& e) { add(at(e.choice).annotations_raw, e.raw); },
            [&](const Media& e) {
                Answer::Choice& choice = at(e.choice);
                auto& raws = e.kind == Media::Kind::image ? choice.images_raw : choice.audio_raw;
                add(raws, e.raw);
            },
            [&](const Logprobs& e) { add(at(e.choice).logprobs_raw, e.raw); },
            [](const ProviderState&) {},
            [&](const UsageReported& e) { answer_.usage = e.usage; },
            [&](const Finished& e) { at(e.choice).finish = e.finish; },
            [&](const Failed& e) { answer_.error = e.error; },
            [&](const Ended&) {
                if (answer_.choices.empty()) answer_.choices.emplace_back();
            },
        },
        event);
}

}  // namespace runnel::timeline
