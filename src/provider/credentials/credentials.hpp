#pragma once

#include "base/header_field.hpp"
#include "base/result.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace runnel::provider {

// A request to a provider as it will be sent, but for what proves who asks. Views of what the
// attempt keeps until it has the proof.
struct FinalRequest {
    std::string_view method;
    std::string_view origin;  // "https://api.openai.com"
    std::string_view path;    // with its query
    std::span<const HeaderField> headers;
    std::string_view body;
};

// Who the gateway is to a provider: one for each key, or other identity, that a config gives it.
// Shared by all threads. It comes after the request is written, because it may sign the final bytes
// or need a token that has to be fetched first.
class Credentials {
public:
    virtual ~Credentials() = default;

    // The headers to add. An error is the attempt's failure; nothing in it is a secret.
    using Proof = Result<std::vector<HeaderField>>;
    using Done = std::move_only_function<void(Proof)>;
    // Calls `done` once: before it returns, or later on any thread, within a time that it limits
    // itself.
    virtual void prove(const FinalRequest& request, Done done) const = 0;
    // The provider says that it does not take the proof. True where the next one will be another,
    // so that it is worth asking again.
    virtual bool renew() const { return false; }
};

}  // namespace runnel::provider
