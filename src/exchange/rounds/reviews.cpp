#include "exchange/rounds/reviews.hpp"

#include "provider/presets.hpp"
#include "tools/rounds/strict_calls.hpp"

#include <algorithm>

namespace runnel::exchange {
namespace {

// Those of OpenAI's family are told which tools are strict, and believed.
bool all_keep_strict(std::span<const ProviderSlot> providers, const router::Route& route) {
    return std::ranges::all_of(route.targets, [&](const router::Target& target) {
        return provider::find_preset(providers[target.provider].kind) != nullptr;
    });
}

}  // namespace

Reviews::Reviews(std::span<const ProviderSlot> providers, const router::Route& route,
                 chat::Request* request, timeline::Sink* client) {
    if (auto contract = tools::JsonContract::of(*request))
        json_.emplace(*contract, request, client);
    const bool strict = tools::has_strict_tools(*request) && request->choices() == 1;
    if (strict && !all_keep_strict(providers, route))
        strict_.emplace(request, json_ ? json_->sink() : client);
}

std::vector<AnswerReview*> Reviews::all() {
    std::vector<AnswerReview*> all;
    if (strict_) all.push_back(&*strict_);
    if (json_) all.push_back(&*json_);
    return all;
}

}  // namespace runnel::exchange
