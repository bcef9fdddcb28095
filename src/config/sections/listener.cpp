#include "base/address_range.hpp"
#include "config/addresses.hpp"
#include "config/exposure.hpp"
#include "config/sections/sections.hpp"

#include <fmt/format.h>

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_tls[] = {"cert", "key", "client_ca"};

std::optional<std::string> listen_address(const Value& value) {
    return value.text_that(
        is_listen_address,
        "an address such as 127.0.0.1:8080, [::1]:8080 or :8080 for every interface");
}

std::optional<Tls> read_tls(const Value& value) {
    const auto section = value.section(keys_of_tls);
    if (!section) return std::nullopt;
    for (const std::string_view key : {"cert", "key"})
        if (!section->find(key))
            value.complain(
                fmt::format("{} is missing; TLS needs a cert and a key, as PEM files", key));
    Tls tls;
    section->read("cert", &Value::some_text, tls.cert);
    section->read("key", &Value::some_text, tls.key);
    section->read("client_ca", &Value::some_text, tls.client_ca);
    return tls;
}

std::optional<std::vector<std::string>> read_proxies(const Value& value) {
    std::vector<std::string> proxies;
    const auto is_range = [](std::string_view text) {
        return runnel::read_address_range(text).has_value();
    };
    for (const Value& item : value.list())
        if (auto range = item.text_that(is_range, "an IP address or a range such as 10.0.0.0/8"))
            proxies.push_back(std::move(*range));
    return proxies;
}

}  // namespace

void read_listener(const Section& file, Config& config) {
    file.read("listen", listen_address, config.listen);
    file.read("tls", read_tls, config.tls);
    file.read("trusted_proxies", read_proxies, config.trusted_proxies);
    file.read("proxy_protocol", &Value::boolean, config.proxy_protocol);
    // Whoever connects could say that he is somebody else.
    if (config.proxy_protocol && config.trusted_proxies.empty())
        file.find("proxy_protocol")
            ->complain("it needs trusted_proxies: name the proxies whose word counts");
}

void check_exposure(const Section& file, const Config& config) {
    const Value* listen = file.find("listen");
    // A config with other problems may have been meant otherwise.
    if (listen == nullptr || listen->problem_count() > 0) return;
    if (const auto problem = exposure_of(config)) listen->complain(*problem);
}

}  // namespace runnel::config
