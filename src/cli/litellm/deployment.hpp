#pragma once

#include "cli/litellm/draft.hpp"
#include "cli/litellm/reading.hpp"

#include <optional>
#include <string>
#include <vector>

namespace runnel::cli {

// One entry of LiteLLM's model_list, as Runnel would call what it says.
struct LitellmDeployment {
    std::string name;                  // what clients ask for
    config::Value at;                  // where that stands
    ConfigDraft::Provider provider{};  // without a name yet
    std::string model{};               // the provider's own name for it
    std::optional<double> weight{}, order{};
    std::optional<double> rpm{}, tpm{}, concurrent{};
    std::optional<double> timeout_seconds{}, stream_timeout_seconds{}, retries{};
    ConfigDraft::Fields defaults{}, facts{}, price{};

    bool is_wildcard() const { return name.contains('*') || model.contains('*'); }
};

// What litellm_credential_name names.
using LitellmCredentials = std::vector<config::Entry>;

// None where Runnel can't serve it, which has been noted, or where the file is wrong.
std::optional<LitellmDeployment> read_litellm_deployment(LitellmReading& reading,
                                                         const config::Value& entry,
                                                         const LitellmCredentials& credentials);

}  // namespace runnel::cli
