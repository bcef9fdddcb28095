#pragma once

#include <string>
#include <string_view>

// Words of others, providers and tools, made fit to be shown: they may quote keys and addresses.
namespace runnel {

// Without what looks like a credential, URL, host or address, and cut to a sentence or two: for
// clients.
std::string sanitised(std::string_view text);

// The same, with nothing cut off: for models, who read what became of a tool, and through them for
// clients.
std::string without_addresses(std::string_view text);

// With credentials masked: for logs, which may see addresses but no keys. At most 2 KiB.
std::string without_credentials(std::string_view text);

}  // namespace runnel
