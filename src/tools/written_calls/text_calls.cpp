#include "tools/written_calls/text_calls.hpp"

#include "json/text.hpp"

#include <algorithm>
#include <utility>

namespace runnel::tools {

using timeline::Finish;

TextCalls::TextCalls(std::vector<std::string> tools, MintId mint_id, timeline::Sink* to)
    : tools_(std::move(tools)),
      mint_id_(std::move(mint_id)),
      to_(to) {}

void TextCalls::on(const timeline::Event& event) {
    std::visit(
        timeline::Overload{
            [&](const timeline::Started&) {
                choices_.clear();
                to_->on(event);
            },
            [&](const timeline::Text& e) { at(e.choice).scanner.feed(e.text, listener(e.choice)); },
            [&](const timeline::Logprobs& e) { at(e.choice).logprobs.on(event); },
            [&](const timeline::Reasoning& e) { tell_after_text(e.choice, event); },
            [&](const timeline::ReasoningSigned& e) { tell_after_text(e.choice, event); },
            [&](const timeline::ReasoningEncrypted& e) { tell_after_text(e.choice, event); },
            [&](const timeline::Refusal& e) { tell_after_text(e.choice, event); },
            [&](const timeline::ItemEnded& e) { tell_after_text(e.choice, event); },
            [&](const timeline::ToolStarted& e) { take_proper_call(e); },
            [&](timeline::ToolArguments e) {
                e.index = index_of(e.choice, e.index);
                to_->on(e);
            },
            [&](timeline::ToolEnded e) {
                e.index = index_of(e.choice, e.index);
                to_->on(e);
            },
            [&](timeline::Finished e) {
                settle(e.choice);
                const bool is_stop = e.finish == Finish::stop || e.finish == Finish::pause;
                if (is_stop && at(e.choice).wrote_calls) e.finish = Finish::tool_calls;
                to_->on(e);
            },
            [&](const timeline::Ended&) {
                for (std::size_t i = 0; i < choices_.size(); ++i)
                    settle(static_cast<timeline::Choice>(i));
                to_->on(event);
            },
            [&](const auto&) { to_->on(event); },
        },
        event);
}

bool TextCalls::is_holding() const {
    return std::ranges::any_of(choices_,
                               [](const Choice& choice) { return choice.scanner.is_holding(); });
}

std::size_t TextCalls::held_bytes() const {
    std::size_t bytes = to_->held_bytes();
    for (const Choice& choice : choices_)
        bytes += choice.scanner.held_bytes() + choice.logprobs.bytes();
    return bytes;
}

TextCalls::Choice& TextCalls::at(timeline::Choice choice) {
    while (choices_.size() <= static_cast<std::size_t>(choice)) choices_.emplace_back(tools_);
    return choices_[static_cast<std::size_t>(choice)];
}

TextCallScanner::Listener TextCalls::listener(timeline::Choice choice) {
    return {[this, choice](std::string_view escaped) { tell_text(choice, escaped); },
            [this, choice](const WrittenCall& call) { tell_call(choice, call); }};
}

void TextCalls::tell_text(timeline::Choice choice, std::string_view escaped) {
    std::exchange(at(choice).logprobs, {}).replay(to_);
    to_->on(timeline::Text{choice, escaped});
}

// What was held back must be told before what follows it.
void TextCalls::tell_after_text(timeline::Choice choice, const timeline::Event& event) {
    settle(choice);
    to_->on(event);
}

void TextCalls::tell_call(timeline::Choice choice, const WrittenCall& call) {
    Choice& told = at(choice);
    told.logprobs.clear();
    told.wrote_calls = true;
    const int index = told.calls++;
    const std::string id = mint_id_();
    std::string arguments;
    json::append_escaped(arguments, call.arguments.value_or("{}"));
    to_->on(timeline::ToolStarted{choice, index, id, call.name});
    to_->on(timeline::ToolArguments{choice, index, arguments});
    to_->on(timeline::ToolEnded{choice, index});
}

void TextCalls::settle(timeline::Choice choice) { at(choice).scanner.finish(listener(choice)); }

void TextCalls::take_proper_call(const timeline::ToolStarted& event) {
    settle(event.choice);
    Choice& told = at(event.choice);
    told.indexes.push_back(told.calls);
    to_->on(timeline::ToolStarted{event.choice, told.calls++, event.id, event.name});
}

int TextCalls::index_of(timeline::Choice choice, int index) {
    return at(choice).indexes.at(static_cast<std::size_t>(index));
}

}  // namespace runnel::tools
