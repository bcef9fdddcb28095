#pragma once

#include "access/key.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace runnel::access {

// The form in which a secret is kept and looked up: its SHA-256, in hexadecimal. A fast hash is
// enough: nobody guesses 256 random bits.
std::string hash_of_secret(std::string_view secret);

// What may be shown of one: rk-Ab3f...9xYz.
std::string masked_secret(std::string_view secret);

// Gives the key a new secret, rk-… or, for browsers, pk-… with 256 bits of the system's randomness,
// and hands it out for the only time. What it had before is forgotten.
Result<Secret> give_secret(Key* key);

// The same for a key that is in use: its old secret is good for a while longer.
Result<Secret> replace_secret(Key* key, std::chrono::milliseconds grace, UtcTime now);

}  // namespace runnel::access
