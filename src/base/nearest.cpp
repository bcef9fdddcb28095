#include "base/nearest.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace runnel {
namespace {

// Nobody mistypes a name longer than this, and comparing takes time by the product of the lengths.
constexpr std::size_t compared_bytes = 128;
// A shorter beginning of a name says too little about which name was meant.
constexpr std::size_t telling_prefix_bytes = 3;

bool same(char a, char b) { return ascii::lower(a) == ascii::lower(b); }

// How many letters must be put in, left out, replaced or swapped with their neighbour to get from
// one to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> two_above, above, row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        two_above = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            const bool swapped =
                i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
            if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
        }
    }
    return row[b.size()];
}

bool begins_with(std::string_view name, std::string_view beginning) {
    return name.size() >= beginning.size() &&
           std::equal(beginning.begin(), beginning.end(), name.begin(), same);
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view written,
                                            std::span<const std::string_view> candidates,
                                            std::size_t count_max) {
    struct Near {
        std::size_t distance;
        std::size_t position;  // of two as near, the first one given
        std::string_view name;
    };
    std::vector<Near> found;
    const std::size_t distance_max = std::max<std::size_t>(1, written.size() / 3);
    const bool stopped_early = written.size() >= telling_prefix_bytes;
    for (const std::string_view name : candidates) {
        if (written.empty() || written.size() > compared_bytes || name.size() > compared_bytes)
            continue;
        const std::size_t distance = edit_distance(written, name);
        if (distance <= distance_max || (stopped_early && begins_with(name, written)))
            found.push_back({distance, found.size(), name});
    }
    std::ranges::sort(found, {},
                      [](const Near& near) { return std::pair(near.distance, near.position); });
    std::vector<std::string_view> names;
    for (const Near& near : found) {
        if (names.size() == count_max) break;
        if (std::ranges::find(names, near.name) == names.end()) names.push_back(near.name);
    }
    return names;
}

std::string did_you_mean(std::string_view written, std::span<const std::string_view> candidates) {
    const auto names = nearest_names(written, candidates, 1);
    return names.empty() ? std::string() : fmt::format("; did you mean '{}'?", names.front());
}

}  // namespace runnel
