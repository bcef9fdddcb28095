#include "http/server/proxy_header.hpp"

#include <algorithm>
#include <cstdint>

namespace runnel::http {
namespace {

constexpr std::string_view signature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t fixed_bytes = 16;  // signature, version and command, family, length

constexpr unsigned version_and_local = 0x20;
constexpr unsigned version_and_proxy = 0x21;
constexpr unsigned family_unknown = 0x00;
constexpr unsigned tcp_over_ipv4 = 0x11;
constexpr unsigned tcp_over_ipv6 = 0x21;
constexpr std::size_t ipv4_bytes = 12;  // two addresses and two ports
constexpr std::size_t ipv6_bytes = 36;

unsigned byte_at(std::string_view bytes, std::size_t index) {
    return static_cast<std::uint8_t>(bytes[index]);
}

runnel::IpBytes read_source(std::string_view addresses, std::size_t address_bytes) {
    runnel::IpBytes address{};
    if (address_bytes < address.size()) address[10] = address[11] = 0xff;
    std::transform(addresses.begin(),
                   addresses.begin() + static_cast<std::ptrdiff_t>(address_bytes),
                   address.end() - static_cast<std::ptrdiff_t>(address_bytes),
                   [](char c) { return static_cast<std::uint8_t>(c); });
    return address;
}

}  // namespace

Result<ProxyHeader> read_proxy_header(std::string_view bytes) {
    const auto bad = [](std::string_view what) {
        return fail(ErrorKind::invalid_value, std::string(what));
    };
    const std::size_t known = std::min(bytes.size(), signature.size());
    if (bytes.substr(0, known) != signature.substr(0, known))
        return bad("the connection does not begin with a PROXY header of version 2");
    if (bytes.size() < fixed_bytes) return ProxyHeader{fixed_bytes - bytes.size()};
    const unsigned command = byte_at(bytes, 12);
    const unsigned family = byte_at(bytes, 13);
    const std::size_t length = byte_at(bytes, 14) << 8 | byte_at(bytes, 15);
    if (command != version_and_local && command != version_and_proxy)
        return bad("the PROXY header is of another version, or asks for something unknown");
    if (fixed_bytes + length > proxy_header_bytes_max) return bad("the PROXY header is too long");
    if (command == version_and_proxy) {
        if (family != family_unknown && family != tcp_over_ipv4 && family != tcp_over_ipv6)
            return bad("the PROXY header is about something other than TCP");
        if ((family == tcp_over_ipv4 && length < ipv4_bytes) ||
            (family == tcp_over_ipv6 && length < ipv6_bytes))
            return bad("the PROXY header is too short for its addresses");
    }
    const std::size_t size = fixed_bytes + length;
    if (bytes.size() < size) return ProxyHeader{size - bytes.size()};
    if (bytes.size() > size) return bad("more than the PROXY header was read");
    const std::string_view addresses = bytes.substr(fixed_bytes);
    if (command == version_and_proxy && family == tcp_over_ipv4)
        return ProxyHeader{0, read_source(addresses, 4)};
    if (command == version_and_proxy && family == tcp_over_ipv6)
        return ProxyHeader{0, read_source(addresses, 16)};
    return ProxyHeader{};
}

}  // namespace runnel::http
