#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel {

// Names for a "did you mean …?": those candidates that a typo, or stopping early, turns into
// `written`, nearest first. The views are the candidates' own.
std::vector<std::string_view> nearest_names(std::string_view written,
                                            std::span<const std::string_view> candidates,
                                            std::size_t count_max);

// The nearest one, as the end of a message: "; did you mean 'base_url'?". Empty when none is near.
std::string did_you_mean(std::string_view written, std::span<const std::string_view> candidates);

}  // namespace runnel
