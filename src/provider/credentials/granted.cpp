#include "provider/credentials/granted.hpp"

#include <utility>

namespace runnel::provider {

AwsCredentials::AwsCredentials(std::shared_ptr<GrantKeeper> keys, AwsScope scope, Outside* outside)
    : keys_(std::move(keys)),
      scope_(std::move(scope)),
      outside_(outside) {}

// The request's views are the attempt's, which waits.
void AwsCredentials::prove(const FinalRequest& request, Done done) const {
    keys_->get([request, scope = scope_, outside = outside_,
                done = std::move(done)](Result<GrantKeeper::Current> grant) mutable {
        if (!grant) return done(propagate(grant));
        const AwsKeys keys{(*grant)->id, (*grant)->secret, (*grant)->session};
        const auto now = std::chrono::floor<std::chrono::seconds>(outside->now());
        done(aws_signature(request, keys, scope, now));
    });
}

TokenCredentials::TokenCredentials(std::shared_ptr<GrantKeeper> tokens, KeyHeader header)
    : tokens_(std::move(tokens)),
      header_(header) {}

void TokenCredentials::prove(const FinalRequest&, Done done) const {
    tokens_->get(
        [header = header_, done = std::move(done)](Result<GrantKeeper::Current> grant) mutable {
            if (!grant) return done(propagate(grant));
            std::vector<HeaderField> headers;
            headers.push_back(
                {std::string(header.name), std::string(header.prefix) + (*grant)->secret.reveal()});
            done(std::move(headers));
        });
}

}  // namespace runnel::provider
