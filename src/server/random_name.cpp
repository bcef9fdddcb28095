#include "server/random_name.hpp"

#include "base/sha256.hpp"

#include <openssl/rand.h>

namespace runnel::server {

Result<std::string> random_name() {
    Digest random;
    if (RAND_priv_bytes(random.data(), static_cast<int>(random.size())) != 1)
        return fail(ErrorKind::internal_error, "the system has no randomness to give");
    return in_hexadecimal(random);
}

}  // namespace runnel::server
