#pragma once

#include <string>
#include <string_view>

namespace runnel::provider {

// Log probabilities of an OpenAI-like provider (a choice's `logprobs`, raw) as SDKs can read them:
// as they stand, or with the members that a token lacks, or from the lists of tokens and numbers of
// the older format (Together). Empty where there are none.
std::string readable_logprobs(std::string_view raw);

}  // namespace runnel::provider
