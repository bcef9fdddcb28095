#pragma once

#include "provider/credentials/aws_signature.hpp"
#include "provider/credentials/grant.hpp"
#include "provider/provider.hpp"

#include <memory>

namespace runnel::provider {

// Every request is signed with the keys of AWS that are good now.
class AwsCredentials final : public Credentials {
public:
    AwsCredentials(std::shared_ptr<GrantKeeper> keys, AwsScope scope, Outside* outside);
    void prove(const FinalRequest& request, Done done) const override;
    bool renew() const override { return keys_->forget(); }

private:
    std::shared_ptr<GrantKeeper> keys_;
    AwsScope scope_;
    Outside* outside_;
};

// The token that is good now, in the header where the provider looks for it.
class TokenCredentials final : public Credentials {
public:
    TokenCredentials(std::shared_ptr<GrantKeeper> tokens, KeyHeader header);
    void prove(const FinalRequest& request, Done done) const override;
    bool renew() const override { return tokens_->forget(); }

private:
    std::shared_ptr<GrantKeeper> tokens_;
    KeyHeader header_;
};

}  // namespace runnel::provider
