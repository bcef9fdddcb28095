#include "provider/credentials/replies.hpp"
#include "provider/credentials/sources.hpp"

#include <utility>

namespace runnel::provider {
namespace {

class CommandSource final : public GrantSource {
public:
    CommandSource(CommandIdentity identity, Outside* outside)
        : identity_(std::move(identity)),
          outside_(outside) {}

    Result<Grant> fetch() override {
        auto printed = outside_->run(identity_.command);
        if (!printed) return propagate(printed);
        while (printed->ends_with('\n') || printed->ends_with('\r') || printed->ends_with(' '))
            printed->pop_back();
        if (!is_header_token(*printed))
            return fail(ErrorKind::upstream_auth,
                        "the command of api_key printed no key: it must be one line of text");
        return Grant{.secret = Secret(std::move(*printed)),
                     .expires = outside_->now() + identity_.ttl};
    }

private:
    CommandIdentity identity_;
    Outside* outside_;
};

}  // namespace

std::unique_ptr<GrantSource> make_command_source(CommandIdentity identity, Outside* outside) {
    return std::make_unique<CommandSource>(std::move(identity), outside);
}

}  // namespace runnel::provider
