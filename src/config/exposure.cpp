#include "config/exposure.hpp"

#include "base/address_range.hpp"

#include <fmt/format.h>

namespace runnel::config {
namespace {

bool is_this_machine_alone(std::string_view listen) {
    std::string_view host = listen.substr(0, listen.rfind(':'));
    if (host == "localhost") return true;
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const auto address = runnel::read_address(host);
    const auto v4 = runnel::read_address_range("127.0.0.0/8");
    const auto v6 = runnel::read_address_range("::1");
    return address && (v4->contains(*address) || v6->contains(*address));
}

}  // namespace

std::optional<std::string> exposure_of(const Config& config) {
    using Mode = access::AuthSettings::Mode;
    const access::AuthSettings& auth = config.access.auth;
    if (auth.mode != Mode::open || auth.really || is_this_machine_alone(config.listen))
        return std::nullopt;
    return fmt::format(
        "with auth.mode open, whoever reaches {} could use the gateway and its providers' keys; "
        "ask "
        "for keys (auth: {{mode: keys}}), listen on 127.0.0.1, or, if it is meant so, say "
        "auth: {{mode: open, really: true}}",
        config.listen);
}

}  // namespace runnel::config
