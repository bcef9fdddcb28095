#include "config/sections/sections.hpp"
#include "provider/credentials/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view keys_of_aws[] = {"access_key_id", "secret_access_key", "session_token",
                                            "profile"};
constexpr std::string_view keys_of_entra[] = {"tenant_id",   "client_id",        "client_secret",
                                              "certificate", "managed_identity", "scope"};
constexpr std::string_view keys_of_key_command[] = {"command", "ttl"};

constexpr std::chrono::milliseconds command_ttl = 10min;
constexpr std::chrono::milliseconds command_ttl_min = 10s;
constexpr std::chrono::milliseconds command_ttl_max = 24h;
constexpr std::size_t command_words_max = 64;

void read_secret(const Section& section, std::string_view key, Secret& out) {
    if (const Value* value = section.find(key))
        if (auto text = value->secret()) out = Secret(std::move(*text));
}

provider::AwsIdentity read_aws(const Value& value) {
    provider::AwsIdentity aws;
    const auto section = value.section(keys_of_aws);
    if (!section) return aws;
    section->read("access_key_id", &Value::some_text, aws.keys.id);
    read_secret(*section, "secret_access_key", aws.keys.secret);
    read_secret(*section, "session_token", aws.keys.session_token);
    section->read("profile", &Value::some_text, aws.profile);
    if (aws.keys.id.empty() != aws.keys.secret.empty())
        value.complain("access_key_id and secret_access_key belong together; one is missing");
    if (!aws.keys.id.empty() && !aws.profile.empty())
        value.complain("a profile has keys of its own; write either the keys or the profile");
    return aws;
}

provider::EntraIdentity read_entra(const Value& value) {
    provider::EntraIdentity entra;
    const auto section = value.section(keys_of_entra);
    if (!section) return entra;
    section->read("tenant_id", &Value::some_text, entra.tenant);
    section->read("client_id", &Value::some_text, entra.client_id);
    read_secret(*section, "client_secret", entra.client_secret);
    read_secret(*section, "certificate", entra.certificate);
    section->read("managed_identity", &Value::boolean, entra.managed);
    section->read("scope", &Value::some_text, entra.scope);
    const bool has_secret = !entra.client_secret.empty() || !entra.certificate.empty();
    if (entra.managed && has_secret)
        value.complain("a managed identity has neither a client_secret nor a certificate");
    if (!entra.managed && (entra.tenant.empty() || entra.client_id.empty() || !has_secret))
        value.complain("credentials of Entra are a tenant_id, a client_id and a client_secret or a "
                       "certificate; or managed_identity: true");
    return entra;
}

}  // namespace

provider::IdentitySettings read_identity(const Value& value, std::string_view kind) {
    if (kind == "bedrock") return read_aws(value);
    if (kind == "azure") return read_entra(value);
    if (kind == "vertex") {
        auto content = value.secret();
        return provider::GoogleIdentity{Secret(content ? std::move(*content) : std::string())};
    }
    value.complain(fmt::format("kind: {} has no credentials; write an api_key", kind));
    return {};
}

bool is_key_command(const Value& value) {
    return value.node().kind == Node::Kind::map &&
           std::ranges::any_of(value.entries(),
                               [](const Entry& entry) { return entry.key == "command"; });
}

provider::IdentitySettings read_key_command(const Value& value) {
    provider::CommandIdentity command{.ttl = command_ttl};
    const auto section = value.section(keys_of_key_command);
    if (!section) return command;
    const Value* words = section->find("command");
    for (const Value& word : words->list())
        if (auto text = word.text()) command.command.push_back(std::move(*text));
    if (command.command.empty() || command.command.front().empty() ||
        command.command.size() > command_words_max)
        words->complain("a command is a list: a program and its arguments");
    section->read(
        "ttl", [](const Value& ttl) { return ttl.duration(command_ttl_min, command_ttl_max); },
        command.ttl);
    return command;
}

}  // namespace runnel::config
