#include "exchange/credentials/make_credentials.hpp"

#include "provider/credentials/granted.hpp"
#include "provider/credentials/sources.hpp"
#include "provider/credentials/static_key.hpp"

#include <utility>

namespace runnel::exchange {
namespace {

using provider::KeyHeader;
using provider::Outside;
using Source = std::unique_ptr<provider::GrantSource>;
using One = std::unique_ptr<provider::Credentials>;

One token(Source source, KeyHeader header, Outside* outside) {
    return std::make_unique<provider::TokenCredentials>(
        std::make_shared<provider::GrantKeeper>(std::move(source), outside), header);
}

One aws(const config::Provider& config, provider::AwsIdentity identity, Outside* outside) {
    const std::string& region = config.cloud.region;
    return std::make_unique<provider::AwsCredentials>(
        std::make_shared<provider::GrantKeeper>(
            provider::make_aws_source(std::move(identity), region, outside), outside),
        provider::AwsScope{region, "bedrock"}, outside);
}

// Null: the config's keys, or none, are all there is.
One identity_of(const config::Provider& config, const provider::Provider& provider,
                Outside* outside) {
    const auto& said = config.identity;
    if (const auto* command = std::get_if<provider::CommandIdentity>(&said))
        return token(provider::make_command_source(*command, outside), provider.key_header(),
                     outside);
    if (const auto* entra = std::get_if<provider::EntraIdentity>(&said))
        return token(provider::make_entra_source(*entra, outside), {}, outside);
    if (const auto* google = std::get_if<provider::GoogleIdentity>(&said))
        return token(provider::make_google_source(*google, outside), {}, outside);
    if (const auto* keys = std::get_if<provider::AwsIdentity>(&said))
        return aws(config, *keys, outside);
    if (!config.keys.empty()) return nullptr;
    switch (provider.identity()) {
        case provider::Provider::Identity::key: break;
        case provider::Provider::Identity::aws: return aws(config, {}, outside);
        case provider::Provider::Identity::google:
            return token(provider::make_google_source({}, outside), {}, outside);
    }
    return nullptr;
}

}  // namespace

std::vector<One> make_credentials(const config::Provider& config,
                                  const provider::Provider& provider, Outside* outside) {
    std::vector<One> all;
    if (One identity = identity_of(config, provider, outside)) {
        all.push_back(std::move(identity));
        return all;
    }
    const KeyHeader header = provider.key_header();
    for (const Secret& key : config.keys)
        all.push_back(std::make_unique<provider::StaticKey>(header, key));
    if (all.empty()) all.push_back(std::make_unique<provider::StaticKey>(header, Secret()));
    return all;
}

}  // namespace runnel::exchange
