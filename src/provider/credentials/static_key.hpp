#pragma once

#include "base/secret.hpp"
#include "provider/credentials/credentials.hpp"
#include "provider/provider.hpp"

namespace runnel::provider {

// A key that is as the config has it, in the header where the provider looks for it.
class StaticKey final : public Credentials {
public:
    // An empty key adds nothing: local servers want none.
    StaticKey(KeyHeader header, const Secret& key);

    // A header of that name that the config sets itself stays as it is.
    void prove(const FinalRequest& request, Done done) const override;

private:
    std::string_view name_;
    Secret value_;
};

}  // namespace runnel::provider
