#include "access/credentials.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

namespace runnel::access {
namespace {

constexpr std::size_t basic_bytes_max = 4096;  // longer than any key
constexpr std::size_t wallet_digits = 40;
constexpr std::size_t placeholder_bytes_max = 64;

bool is_hex(char c) {
    return ascii::is_digit(c) || (ascii::lower(c) >= 'a' && ascii::lower(c) <= 'f');
}

bool is_placeholder_char(char c) {
    return ascii::is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
}

// What stands behind an authentication scheme; empty where it is another.
std::string_view behind(std::string_view scheme, std::string_view authorization) {
    if (authorization.size() <= scheme.size() || authorization[scheme.size()] != ' ' ||
        !std::ranges::equal(authorization.substr(0, scheme.size()), scheme, {}, ascii::lower))
        return {};
    authorization.remove_prefix(scheme.size());
    authorization.remove_prefix(
        std::min(authorization.find_first_not_of(' '), authorization.size()));
    return authorization;
}

// Empty where it is no base64.
std::string base64_decoded(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0 || text.size() > basic_bytes_max) return {};
    std::string out(text.size() / 4 * 3, '\0');
    if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                        reinterpret_cast<const unsigned char*>(text.data()),
                        static_cast<int>(text.size())) < 0)
        return {};
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    out.resize(out.size() - padding);
    return out;
}

std::string basic_key(std::string_view authorization) {
    const std::string user_and_password = base64_decoded(behind("basic", authorization));
    const std::size_t colon = user_and_password.find(':');
    if (colon == std::string::npos || colon + 1 == user_and_password.size())
        return user_and_password.substr(0, colon);
    return user_and_password.substr(colon + 1);
}

}  // namespace

Credentials read_credentials(const CredentialFields& fields, const AuthSettings& settings) {
    std::string key(behind("bearer", fields.authorization));
    if (key.empty()) key = fields.api_key;
    if (key.empty()) key = basic_key(fields.authorization);
    if (key.empty() && settings.key_in_query) key = fields.query_key;
    return {Secret(std::move(key)), fields.wallet};
}

std::optional<std::string> read_wallet(std::string_view text, const AuthSettings& settings) {
    if (!text.starts_with("0x")) return std::nullopt;
    const std::string_view digits = text.substr(2);
    const bool exact = digits.size() == wallet_digits && std::ranges::all_of(digits, is_hex);
    const bool placeholder = settings.lenient_addresses && !digits.empty() &&
                             digits.size() <= placeholder_bytes_max &&
                             std::ranges::all_of(digits, is_placeholder_char);
    if (!exact && !placeholder) return std::nullopt;
    std::string wallet(text);
    std::ranges::transform(wallet, wallet.begin(), ascii::lower);
    return wallet;
}

Error wallet_refused(const AuthSettings& settings) {
    return {ErrorKind::invalid_wallet_address,
            fmt::format("{} must be 0x and 40 hexadecimal digits", settings.header)};
}

}  // namespace runnel::access
