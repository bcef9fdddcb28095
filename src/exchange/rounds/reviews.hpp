#pragma once

#include "exchange/gateway.hpp"
#include "exchange/rounds/json_review.hpp"
#include "exchange/rounds/strict_review.hpp"
#include "router/router.hpp"

#include <optional>
#include <span>
#include <vector>

namespace runnel::exchange {

// What must be looked at in the answer to a request.
class Reviews {
public:
    // `request` and `client` must outlive this; what may be shown goes to `client`.
    Reviews(std::span<const ProviderSlot> providers, const router::Route& route,
            chat::Request* request, timeline::Sink* client);

    // In the order in which they see a round; each tells the next one.
    std::vector<AnswerReview*> all();

private:
    std::optional<JsonReview> json_;
    std::optional<StrictReview> strict_;
};

}  // namespace runnel::exchange
