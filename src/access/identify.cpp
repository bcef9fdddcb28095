#include "access/identify.hpp"

#include <fmt/format.h>

namespace runnel::access {
namespace {

Error no_keys() {
    return {ErrorKind::store_unavailable,
            "the gateway has not been able to read its keys yet; try again"};
}

Error missing_key(const AuthSettings& settings) {
    return {ErrorKind::missing_api_key,
            fmt::format("this needs a key: send Authorization: Bearer rk-… or X-API-Key: rk-…{}",
                        settings.mode == AuthSettings::Mode::header
                            ? ", one that is bound to the wallet address"
                            : "")};
}

Error unknown_key() {
    return {ErrorKind::invalid_api_key,
            "this key is not known here: it is mistyped, or it was revoked or replaced"};
}

// One request's way through the settings.
class Identification {
public:
    Identification(const Credentials& credentials, const AuthSettings& settings,
                   const std::shared_ptr<const KeyRing>& ring, const Visit& visit, UtcTime now)
        : credentials_(credentials),
          settings_(settings),
          ring_(ring),
          visit_(visit),
          now_(now) {
        caller_.address = visit.address;
    }

    Result<Caller> run() {
        switch (settings_.mode) {
            case AuthSettings::Mode::open: return std::move(caller_);
            case AuthSettings::Mode::keys: return by_key();
            case AuthSettings::Mode::header: return by_wallet();
        }
        return fail(ErrorKind::internal_error, "an auth mode that is none");
    }

private:
    Result<Caller> by_key() {
        if (credentials_.key.empty()) return fail(missing_key(settings_));
        if (ring_ == nullptr) return fail(no_keys());
        const Key* key = find_key();
        if (key == nullptr) return fail(unknown_key());
        return admit(*key);
    }

    Result<Caller> by_wallet() {
        if (!credentials_.wallet.empty()) {
            auto wallet = read_wallet(credentials_.wallet, settings_);
            if (!wallet) return fail(wallet_refused(settings_));
            caller_.wallet = std::move(*wallet);
        }
        const bool required = settings_.wallet == AuthSettings::Wallet::required;
        if (required && caller_.wallet.empty()) return fail(missing_wallet());
        if (required) return by_key();
        // Clients whose SDK insists on a key send any word.
        if (const Key* key = find_key()) return admit(*key);
        if (caller_.wallet.empty()) return fail(missing_wallet());
        if (visit_.scope == Scope::logs_read || visit_.scope == Scope::usage_read)
            return fail(ErrorKind::insufficient_scope,
                        "an address proves nothing, so logs and usage need a key that is bound to "
                        "it");
        caller_.kind = Caller::Kind::wallet;
        return std::move(caller_);
    }

    const Key* find_key() const {
        if (ring_ == nullptr || credentials_.key.empty()) return nullptr;
        return ring_->find_by_secret(credentials_.key.reveal(), now_);
    }

    Result<Caller> admit(const Key& key) {
        if (auto allowed = may_visit(key, visit_, now_); !allowed) return propagate(allowed);
        if (auto bound = check_bond(key); !bound) return propagate(bound);
        caller_.kind = Caller::Kind::key;
        caller_.key = std::shared_ptr<const Key>(ring_, &key);
        return std::move(caller_);
    }

    // A key that is bound to a wallet goes with no other, and where wallets are required every key
    // is bound to one.
    Result<void> check_bond(const Key& key) {
        if (settings_.mode != AuthSettings::Mode::header) return {};
        if (key.wallet.empty() && settings_.wallet == AuthSettings::Wallet::required)
            return fail(ErrorKind::invalid_wallet_address,
                        "this key is bound to no wallet address; have one made that is");
        if (key.wallet.empty()) return {};
        if (caller_.wallet.empty()) caller_.wallet = key.wallet;
        if (caller_.wallet == key.wallet) return {};
        return fail(ErrorKind::invalid_wallet_address,
                    fmt::format("this key is bound to another wallet address than the one in {}",
                                settings_.header));
    }

    Error missing_wallet() const {
        return {ErrorKind::missing_wallet_address,
                fmt::format("this needs a wallet address: send {}: 0x…", settings_.header)};
    }

    const Credentials& credentials_;
    const AuthSettings& settings_;
    const std::shared_ptr<const KeyRing>& ring_;
    const Visit& visit_;
    UtcTime now_;
    Caller caller_;
};

}  // namespace

Result<Caller> identify(const Credentials& credentials, const AuthSettings& settings,
                        const std::shared_ptr<const KeyRing>& ring, const Visit& visit,
                        UtcTime now) {
    return Identification(credentials, settings, ring, visit, now).run();
}

}  // namespace runnel::access
