#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <string>
#include <string_view>

// JSON Web Tokens, as services that give out tokens want them from who asks.
namespace runnel::provider {

// Signed with RS256. `header` and `claims` are JSON objects; the key is PEM (PKCS#8 or PKCS#1), not
// encrypted.
Result<std::string> signed_jwt(std::string_view header, std::string_view claims,
                               const Secret& private_key);

// The SHA-256 of the first certificate in a PEM text, in base64url: x5t#S256.
Result<std::string> certificate_thumbprint(std::string_view pem);

}  // namespace runnel::provider
