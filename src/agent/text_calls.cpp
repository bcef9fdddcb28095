#include "agent/text_calls.hpp"

#include "json/text.hpp"

#include <algorithm>
#include <utility>

namespace runnel::agent {

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
            [&](const timeline::Logprobs& e) {
                Choice& choice = at(e.choice);
                choice.logprobs.emplace_back(e.raw);
                choice.logprobs_bytes += sizeof(std::string) + e.raw.size();
            },
            [&](const timeline::Reasoning& e) {
                settle(e.choice);
                to_->on(event);
            },
            [&](const timeline::Refusal& e) {
                settle(e.choice);
                to_->on(event);
            },
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
                if (e.finish == Finish::stop && at(e.choice).wrote_calls)
                    e.finish = Finish::tool_calls;
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
        bytes += choice.scanner.held_bytes() + choice.logprobs_bytes;
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
    at(choice).logprobs_bytes = 0;
    for (const std::string& raw : std::exchange(at(choice).logprobs, {}))
        to_->on(timeline::Logprobs{choice, raw});
    to_->on(timeline::Text{choice, escaped});
}

void TextCalls::tell_call(timeline::Choice choice, const WrittenCall& call) {
    Choice& told = at(choice);
    told.logprobs.clear();
    told.logprobs_bytes = 0;
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

}  // namespace runnel::agent
