#pragma once

#include "provider/credentials/grant.hpp"
#include "provider/credentials/settings.hpp"

#include <memory>
#include <string>
#include <string_view>

// Where each kind of identity gets its credentials from. `outside` must outlive the source.
namespace runnel::provider {

// The keys of the config; else a profile's; else the first of these that is there: AWS_* variables,
// a web identity (EKS), the profile AWS_PROFILE or `default`, a container's endpoint (ECS, EKS),
// the machine's own (IMDSv2).
std::unique_ptr<GrantSource> make_aws_source(AwsIdentity identity, std::string region,
                                             Outside* outside);

// The file of the config; else that of GOOGLE_APPLICATION_CREDENTIALS or gcloud's; else the
// machine's metadata server.
std::unique_ptr<GrantSource> make_google_source(GoogleIdentity identity, Outside* outside);

std::unique_ptr<GrantSource> make_entra_source(EntraIdentity identity, Outside* outside);

// What the program prints is the token.
std::unique_ptr<GrantSource> make_command_source(CommandIdentity identity, Outside* outside);

}  // namespace runnel::provider
