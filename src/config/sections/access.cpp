#include "config/names.hpp"
#include "config/sections/sections.hpp"

#include <algorithm>

namespace runnel::config {
namespace {

using access::AuthSettings;

constexpr std::string_view keys_of_auth[] = {
    "mode", "header", "wallet", "lenient_addresses", "key_in_query", "really", "wallet_tools"};
constexpr std::string_view keys_of_wallets[] = {"header", "wallet", "lenient_addresses",
                                                "wallet_tools"};
constexpr std::string_view modes[] = {"open", "keys", "header"};  // in the order of Mode
constexpr std::string_view wallets[] = {"free", "required"};      // in the order of Wallet

template <class Enum, std::size_t count>
std::optional<Enum> one_of(const Value& value, const std::string_view (&names)[count]) {
    const auto name = value.one_of(names);
    if (!name) return std::nullopt;
    return static_cast<Enum>(std::ranges::find(names, *name) - std::ranges::begin(names));
}

std::optional<std::string> read_header_name(const Value& value) {
    return value.text_that(
        [](std::string_view name) {
            return is_header_name(name) && !is_framing_header(name) && !is_credential_header(name);
        },
        "the name of a header that has no other meaning, such as x-wallet-address");
}

}  // namespace

std::optional<AuthSettings> read_auth(const Value& value, const KnownTools& tools) {
    const auto section = value.section(keys_of_auth);
    if (!section) return std::nullopt;
    AuthSettings auth;
    const std::size_t problems = value.problem_count();
    const auto mode = [](const Value& name) { return one_of<AuthSettings::Mode>(name, modes); };
    const auto wallet = [](const Value& name) {
        return one_of<AuthSettings::Wallet>(name, wallets);
    };
    section->read("mode", mode, auth.mode);
    section->read("header", read_header_name, auth.header);
    section->read("wallet", wallet, auth.wallet);
    section->read("lenient_addresses", &Value::boolean, auth.lenient_addresses);
    section->read("key_in_query", &Value::boolean, auth.key_in_query);
    section->read("really", &Value::boolean, auth.really);
    if (const Value* really = section->find("really");
        really && auth.mode != AuthSettings::Mode::open)
        really->complain("only mode: open needs this; leave it out");
    if (const Value* names = section->find("wallet_tools"))
        auth.wallet_tools = tools.read_names(*names);
    if (value.problem_count() > problems || auth.mode == AuthSettings::Mode::header) return auth;
    for (const std::string_view key : keys_of_wallets)
        if (const Value* written = section->find(key))
            written->complain("only mode: header looks at this; set it, or leave this out");
    return auth;
}

}  // namespace runnel::config
