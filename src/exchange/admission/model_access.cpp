#include "exchange/admission/model_access.hpp"

#include "access/key_check.hpp"

#include <vector>

namespace runnel::exchange {

Result<void> check_models(const Gateway& gateway, const access::Caller& caller,
                          const chat::Request& request) {
    if (caller.key == nullptr) return {};
    if (caller.is_browser()) {
        if (auto plain = access::check_browser_request(request); !plain) return plain;
        if (!gateway.router.is_model_id(request.model))
            return fail(access::browser_model_refused(request.model));
    }
    if (caller.key->models.empty()) return {};
    std::vector<std::string_view> asked{request.model};
    asked.insert(asked.end(), request.gateway.fallback.begin(), request.gateway.fallback.end());
    for (const std::string_view model : asked)
        if (!may_use(gateway, caller, model)) return fail(access::model_refused(model));
    return {};
}

bool may_use(const Gateway& gateway, const access::Caller& caller, std::string_view model) {
    if (caller.key == nullptr || caller.key->models.empty()) return true;
    const auto names = gateway.router.names_of(model);
    return !names.empty() && access::has_model(*caller.key, names);
}

}  // namespace runnel::exchange
