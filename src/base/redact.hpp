#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace runnel {

// The text with whatever looks like a credential replaced by ***: keys of well-known shapes (sk-…,
// AIza…), what comes after Bearer or Basic, and the values of names such as key, token and
// password. For text from elsewhere that goes into the log; what this program holds itself is a
// Secret.
std::string redacted(std::string_view text);

// Where in the text they stand, in order: what redacted() replaces.
struct CredentialPlace {
    std::size_t begin;
    std::size_t end;

    friend bool operator==(const CredentialPlace&, const CredentialPlace&) = default;
};
std::vector<CredentialPlace> credentials_in(std::string_view text);

inline constexpr std::string_view credential_mask = "***";

}  // namespace runnel
