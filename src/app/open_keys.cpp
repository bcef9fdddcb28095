#include "app/open_keys.hpp"

#include "base/log.hpp"

#include <fmt/format.h>

#include <string>

namespace runnel::app {
namespace {

bool needs_keys(const access::AuthSettings& auth) {
    using access::AuthSettings;
    return auth.mode == AuthSettings::Mode::keys || (auth.mode == AuthSettings::Mode::header &&
                                                     auth.wallet == AuthSettings::Wallet::required);
}

std::string cure(const config::Config& config) {
    if (config.access.store.kind != storage::StoreSettings::Kind::sqlite) return {};
    return fmt::format(" They are in {} (`data` in the config): is that disk full, or may this "
                       "user not write there?",
                       config.data);
}

}  // namespace

Result<std::unique_ptr<storage::KeyKeeper>> open_keys(const config::Config& config,
                                                      access::KeyRingBoard* board) {
    std::unique_ptr<storage::KeyKeeper> keeper;
    Result<void> outcome;
    if (auto database = storage::open_database_later(config.access.store, config.data)) {
        keeper = std::make_unique<storage::KeyKeeper>(std::move(*database), board);
        outcome = keeper->start();
    } else {
        outcome = propagate(database);
    }
    if (outcome) return keeper;
    if (needs_keys(config.access.auth))
        return fail(outcome.error().kind,
                    fmt::format("auth.mode asks for keys, but they can't be read: {}{}",
                                outcome.error().message, cure(config)));
    log::Line(log::Level::warning, "no keys: the store can't be read")
        .add("detail", outcome.error().message)
        .write();
    return keeper;
}

}  // namespace runnel::app
