#pragma once

#include "base/secret.hpp"
#include "provider/credentials/aws_signature.hpp"

#include <chrono>
#include <string>
#include <variant>
#include <vector>

// Who the gateway is to a provider, as a config says it, where that is more than a key.
namespace runnel::provider {

// Keys of AWS: these, a profile's, or where nothing is said, whatever is found in the places where
// AWS' own tools look.
struct AwsIdentity {
    AwsKeys keys{};  // an empty id: none
    std::string profile{};
};

// A service account of Google's, or the one that the machine has.
struct GoogleIdentity {
    Secret file{};  // what Google calls application credentials; empty: where its tools look
};

// An application of Microsoft Entra's, or the identity that the machine has.
struct EntraIdentity {
    std::string tenant{};
    std::string client_id{};  // of a managed identity it may be empty: the machine has only one
    Secret client_secret{};
    Secret certificate{};  // PEM: a certificate and its private key
    std::string scope{};   // empty: Azure OpenAI's
    bool managed = false;
};

// A program that prints a key or a token.
struct CommandIdentity {
    std::vector<std::string> command{};
    std::chrono::milliseconds ttl{};  // after which it is asked again
};

// None: a key of the config's, or what the kind of provider is usually asked with.
using IdentitySettings =
    std::variant<std::monostate, AwsIdentity, GoogleIdentity, EntraIdentity, CommandIdentity>;

}  // namespace runnel::provider
