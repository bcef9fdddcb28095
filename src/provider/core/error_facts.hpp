#pragma once

#include "base/error.hpp"
#include "provider/provider.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::provider {

// What a provider's error says, whichever of the many shapes it came in (providers' JSON envelopes,
// a bare string, an HTML page, nothing).
struct ErrorFacts {
    int status = 0;         // HTTP's, or the body's own where the answer was 200; 0 when unknown
    std::string type{};     // error.type, Google's status, AWS' class…
    std::string code{};     // error.code as text
    std::string param{};    // error.param: the field of the request that it complains of
    std::string message{};  // the provider's own words, unescaped; NOT safe to show
    std::optional<std::chrono::milliseconds> retry_after{};
};

// Reads the body and the headers that tell when to come back (retry-after-ms, retry-after, Google's
// RetryInfo…).
ErrorFacts read_error_facts(const ErrorReply& reply);

// Reads a JSON value that stands for an error inside a stream: the `error` member of a frame, or a
// whole frame.
ErrorFacts read_error_facts(std::string_view raw_json);

// The same for a provider that speaks the API of that name: clients that speak it are told what the
// provider said, unless that is about the gateway's own account.
Error to_error(std::string_view display_name, const ErrorFacts& facts, std::string_view api);

// The Error for these facts: kind by status, type, code and, where providers leave no other way,
// text; a message like "Anthropic returned 529 overloaded" (or, for a rejected request, the
// provider's reason with URLs, keys and hosts taken out); the provider's words in `detail`.
Error to_error(std::string_view display_name, const ErrorFacts& facts);

}  // namespace runnel::provider
