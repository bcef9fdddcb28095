#include "tools/rounds/round_filter.hpp"

#include <utility>

namespace runnel::tools {

RoundFilter::RoundFilter(IsOwn is_own, timeline::Sink* to) : is_own_(std::move(is_own)), to_(to) {}

void RoundFilter::on(const timeline::Event& event) {
    std::visit(timeline::Overload{
                   [&](const timeline::Started&) {
                       places_.clear();
                       own_calls_.clear();
                       client_calls_.clear();
                       call_bytes_ = 0;
                       text_escaped_.clear();
                       reasoning_escaped_.clear();
                       round_usage_.reset();
                       to_->on(event);
                   },
                   [&](const timeline::Text& e) {
                       text_escaped_ += e.text;
                       to_->on(event);
                   },
                   [&](const timeline::Reasoning& e) {
                       reasoning_escaped_ += e.text;
                       to_->on(event);
                   },
                   [&](const timeline::ToolStarted& e) { on_call(e); },
                   [&](const timeline::ToolArguments& e) { on_arguments(e); },
                   [&](const timeline::ToolEnded& e) { on_call_end(e); },
                   [&](const timeline::UsageReported& e) { round_usage_ = e.usage; },
                   // Of a round; items of it are the answer's.
                   [&](const timeline::Native& e) {
                       using What = timeline::Native::What;
                       if (e.what == What::item || e.what == What::addition ||
                           e.what == What::item_fields)
                           to_->on(event);
                   },
                   [&](const timeline::Finished& e) {
                       finish_ = e.finish;
                       native_ = e.native;
                       stop_sequence_ = e.stop_sequence;
                   },
                   [](const timeline::Ended&) {},
                   [&](const auto&) { to_->on(event); },
               },
               event);
}

void RoundFilter::on_call(const timeline::ToolStarted& event) {
    const bool own = is_own_(event.name);
    std::vector<Call>& calls = own ? own_calls_ : client_calls_;
    // Indexes are dense, so this is the next one.
    places_.push_back({own ? Place::Owner::gateway : Place::Owner::client, calls.size()});
    calls.push_back({std::string(event.id), std::string(event.name), {}});
    call_bytes_ += sizeof(Call) + event.id.size() + event.name.size();
    if (own) {
        to_->on(timeline::HoldOver{timeline::HoldOver::Why::tool_called});
        return;
    }
    to_->on(timeline::ToolStarted{event.choice, static_cast<int>(calls.size()) - 1, event.id,
                                  event.name});
}

void RoundFilter::on_arguments(const timeline::ToolArguments& event) {
    const Place place = place_of(event.index);
    const bool own = place.owner == Place::Owner::gateway;
    (own ? own_calls_ : client_calls_)[place.at].arguments_escaped += event.fragment;
    call_bytes_ += event.fragment.size();
    if (!own)
        to_->on(timeline::ToolArguments{event.choice, static_cast<int>(place.at), event.fragment});
}

void RoundFilter::on_call_end(const timeline::ToolEnded& event) {
    const Place place = place_of(event.index);
    if (place.owner == Place::Owner::client)
        to_->on(timeline::ToolEnded{event.choice, static_cast<int>(place.at)});
}

std::size_t RoundFilter::held_bytes() const {
    return text_escaped_.size() + reasoning_escaped_.size() + call_bytes_ + to_->held_bytes();
}

void RoundFilter::close_round() {
    if (!round_usage_) return;
    if (usage_) {
        *usage_ += *round_usage_;
    } else {
        usage_ = round_usage_;
    }
    round_usage_.reset();
}

void RoundFilter::end() {
    close_round();
    // Only the client's calls are left for it to make.
    if (finish_ == timeline::Finish::tool_calls && client_calls_.empty())
        finish_ = timeline::Finish::stop;
    to_->on(timeline::Finished{0, finish_, native_, stop_sequence_});
    if (usage_) to_->on(timeline::UsageReported{*usage_});
    to_->on(timeline::Ended{});
}

}  // namespace runnel::tools
