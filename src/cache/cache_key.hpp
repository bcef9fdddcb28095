#pragma once

#include "chat/request.hpp"

#include <string>
#include <string_view>

namespace runnel::cache {

// What an answer depends on besides the request's own fields.
struct CacheScope {
    std::string_view account;       // nobody gets an answer that another account paid for
    std::string_view model;         // as it was resolved: an alias finds the same answers
    std::string_view system;        // what the model's config puts before the conversation
    std::string_view guardrails{};  // that look at the answer, and may change it
};

// The name that an answer is kept under: the same for two requests only if the same answer fits
// both. How the answer is to be sent makes no difference.
std::string cache_key(const chat::Request& request, const CacheScope& scope);

// An answer that uses tools is about more than what was asked.
bool may_be_cached(const chat::Request& request);

}  // namespace runnel::cache
