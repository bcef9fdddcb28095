#pragma once

#include "access/key.hpp"
#include "access/scope.hpp"
#include "base/result.hpp"
#include "chat/request.hpp"

#include <span>
#include <string_view>

// What a key allows, as decisions on values: whoever asks passes in the time. Each error is what
// the client is told, with what would help.
namespace runnel::access {

// A request before its body is looked at.
struct Visit {
    Scope scope;                 // what it is for
    std::string_view address{};  // the client's IP address
    std::string_view origin{};   // the page it comes from, where it is a browser's
};

bool has_scope(const Key& key, Scope scope);

// Whether the key is good at all, here and now and for this.
Result<void> may_visit(const Key& key, const Visit& visit, UtcTime now);

// "openai/gpt-5-mini", or "openai/*" for all that begin so.
bool matches(std::string_view pattern, std::string_view model);
// Whether a model is one of the key's; it goes by all of these names.
bool has_model(const Key& key, std::span<const std::string> names);
// The refusal of one that is not.
Error model_refused(std::string_view asked);
// The same of one that would stand in for a model that can't stream.
Error stand_in_refused(std::string_view stand_in);

// A browser's key can be read by everybody: requests with it may have the plainest fields only, and
// nothing that makes the gateway do more than ask its model. They may have builtin_tools, for
// whoever goes on with the request to ignore.
Result<void> check_browser_request(const chat::Request& request);
// The refusal of a model that is not named by its id.
Error browser_model_refused(std::string_view asked);

}  // namespace runnel::access
