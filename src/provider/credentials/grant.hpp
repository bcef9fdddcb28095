#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "provider/credentials/outside.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace runnel::provider {

// What proves who asks, for a time: a token, or keys of AWS.
struct Grant {
    std::string id{};                        // AWS: of the key
    Secret secret{};                         // AWS: the key; else the token
    Secret session{};                        // AWS: of keys that end
    std::optional<Outside::Time> expires{};  // none: never
};

// Where a grant comes from.
class GrantSource {
public:
    virtual ~GrantSource() = default;
    // May block. An error's message can be shown to a client; nothing in it is a secret.
    virtual Result<Grant> fetch() = 0;
};

// Keeps a grant for all threads. It is fetched when somebody first asks, and again some time before
// it ends, while the old one is still given out: once, however many ask. Each process waits a
// little longer or shorter, so that many do not come at the same moment.
class GrantKeeper : public std::enable_shared_from_this<GrantKeeper> {
public:
    GrantKeeper(std::unique_ptr<GrantSource> source, Outside* outside)
        : source_(std::move(source)),
          outside_(outside) {}

    using Current = std::shared_ptr<const Grant>;
    using Done = std::move_only_function<void(Result<Current>)>;
    // Calls `done` once: before it returns, or on another thread when the grant has been fetched. A
    // fetch that failed is told to all who wait, and to those who ask in the moment after it.
    void get(Done done);

    // The provider does not take the grant any more, whatever its end says: the next who asks waits
    // for another. One that was fetched only now is not fetched again. True where it is given up.
    bool forget();

private:
    enum class Standing { good, ageing, over };
    Standing standing(Outside::Time now) const;
    void fetch();
    void keep(Result<Grant> fetched);

    std::unique_ptr<GrantSource> source_;
    Outside* outside_;
    std::mutex mutex_;
    Current current_;
    Outside::Time fetched_at_{};
    Outside::Time renew_at_{};
    Outside::Time usable_until_{};
    bool fetching_ = false;
    std::vector<Done> waiting_;
    std::optional<Error> failure_;  // of the last fetch
    Outside::Time quiet_until_{};   // after a failure
};

}  // namespace runnel::provider
