#include "cli/open_keys.hpp"

#include "base/log.hpp"

#include <fmt/format.h>

#include <string>

namespace runnel::cli {
namespace {

bool needs_keys(const policy::AuthSettings& auth) {
    using policy::AuthSettings;
    return auth.mode == AuthSettings::Mode::keys || (auth.mode == AuthSettings::Mode::header &&
                                                     auth.wallet == AuthSettings::Wallet::required);
}

std::string cure(const config::Config& config) {
    if (config.access.store.kind != policy::StoreSettings::Kind::sqlite) return {};
    return fmt::format(" They are in {} (`data` in the config): is that disk full, or may this "
                       "user not write there?",
                       config.data);
}

}  // namespace

Result<std::unique_ptr<store::KeyKeeper>> open_keys(const config::Config& config,
                                                    policy::KeyRingBoard* board) {
    std::unique_ptr<store::KeyKeeper> keeper;
    Result<void> outcome;
    if (auto database = store::open_database_later(config.access.store, config.data)) {
        keeper = std::make_unique<store::KeyKeeper>(std::move(*database), board);
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

}  // namespace runnel::cli
