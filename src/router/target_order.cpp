#include "router/target_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace runnel::router {
namespace {

using Order = std::vector<std::size_t>;
using Fit = Candidate::Fit;
using std::chrono::microseconds;

constexpr int requests_per_fresh_look = 20;

template <typename Number>
Number draw(Number from, Number to, std::minstd_rand& random) {
    return std::uniform_int_distribution<Number>(from, to)(random);
}

void move_to_front(Order& order, std::size_t at) {
    const auto begin = order.begin();
    const auto chosen = begin + static_cast<std::ptrdiff_t>(at);
    std::rotate(begin, chosen, chosen + 1);
}

// Whether a strategy may put it first. A client's own fallbacks have no weight: whoever is quick
// or lucky, they come after the model's targets.
bool is_choice(const Candidate& candidate) {
    return candidate.fit == Fit::ready && candidate.weight > 0;
}

void draw_first(Order& order, std::span<const Candidate> candidates, std::minstd_rand& random) {
    const auto weight = [&](std::size_t at) -> std::uint64_t {
        return is_choice(candidates[at]) ? candidates[at].weight : 0;
    };
    std::uint64_t all = 0;
    for (const std::size_t at : order) all += weight(at);
    if (all == 0) return;
    std::uint64_t drawn = draw<std::uint64_t>(0, all - 1, random);
    std::size_t at = 0;
    for (; drawn >= weight(at); ++at) drawn -= weight(at);
    move_to_front(order, at);
}

void sort_by_latency(Order& order, std::span<const Candidate> candidates,
                     std::minstd_rand& random) {
    const auto rank = [&](std::size_t at) {
        const Candidate& candidate = candidates[at];
        const bool choice = is_choice(candidate);
        return std::tuple(!choice, choice ? candidate.first_token : microseconds(0), at);
    };
    std::ranges::sort(order, {}, rank);
    const auto choices = std::ranges::count_if(candidates, is_choice);
    if (choices > 1 && draw(1, requests_per_fresh_look, random) == 1)
        move_to_front(order, draw<std::size_t>(1, static_cast<std::size_t>(choices) - 1, random));
}

}  // namespace

Order order_of(Strategy strategy, std::span<const Candidate> candidates, std::minstd_rand& random) {
    Order order(candidates.size());
    std::iota(order.begin(), order.end(), 0);
    switch (strategy) {
        case Strategy::failover: break;
        case Strategy::weighted: draw_first(order, candidates, random); break;
        case Strategy::least_latency: sort_by_latency(order, candidates, random); break;
    }
    return order;
}

}  // namespace runnel::router
