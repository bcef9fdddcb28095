#pragma once

#include "access/auth_settings.hpp"
#include "base/error.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace runnel::access {

// What of a request can say who sends it, as it stands there; empty: nothing.
struct CredentialFields {
    std::string_view authorization{};
    std::string_view api_key{};    // X-API-Key
    std::string_view query_key{};  // ?api-key=, without its percent escapes
    std::string_view wallet{};     // the header that the settings name
};

struct Credentials {
    Secret key{};
    std::string_view wallet{};  // a view of the field
};

// The key is the first that is found: Authorization: Bearer, X-API-Key, Authorization: Basic (the
// password, or the user where there is none), the query where the settings allow it.
Credentials read_credentials(const CredentialFields& fields, const AuthSettings& settings);

// A wallet's address in the form that is compared: small letters. None where it is no address;
// lenient settings take placeholders from documentation, such as 0xYourAddress.
std::optional<std::string> read_wallet(std::string_view text, const AuthSettings& settings);
// The refusal of one that is none.
Error wallet_refused(const AuthSettings& settings);

}  // namespace runnel::access
