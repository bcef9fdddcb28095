#include "check.hpp"
#include "http/server/proxy_header.hpp"
#include "http/server/trusted_proxies.hpp"

// What strangers put where proxies say for whom they ask.
namespace runnel::fuzz {
namespace {

using runnel::IpBytes;

void check_header(std::string_view bytes) {
    std::size_t size = 0;
    for (int rounds = 0; rounds < 3; ++rounds) {
        const auto read = http::read_proxy_header(bytes.substr(0, size));
        if (!read || read->wanted == 0) return;
        size += read->wanted;
        require(size <= http::proxy_header_bytes_max, "it wants no more than it may", bytes);
        if (size > bytes.size()) return;
    }
    require(false, "two pieces are all of it", bytes);
}

void check_forwarded(std::string_view name, std::string_view value) {
    const http::TrustedProxies proxies({*runnel::read_address_range("10.0.0.0/8")});
    http::HeaderList headers;
    headers.add(name, value);
    const IpBytes proxy = *runnel::read_address("10.0.0.1");
    const IpBytes stranger = *runnel::read_address("192.0.2.7");
    require(proxies.client_of(stranger, headers) == stranger, "strangers are not believed", value);
    const IpBytes client = proxies.client_of(proxy, headers);
    require(runnel::read_address(http::text_of(client)) == client, "it is an address", value);
    // Whoever writes in front of what a proxy adds changes nothing.
    http::HeaderList longer;
    longer.add(name,
               std::string(value) + (name == "Forwarded" ? ", for=192.0.2.9" : ", 192.0.2.9"));
    require(http::text_of(proxies.client_of(proxy, longer)) == "192.0.2.9", "the last one counts",
            value);
}

}  // namespace
}  // namespace runnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = runnel::fuzz::text_of(data, size);
    runnel::fuzz::check_header(bytes);
    runnel::fuzz::check_forwarded("X-Forwarded-For", bytes);
    runnel::fuzz::check_forwarded("Forwarded", bytes);
    return 0;
}
