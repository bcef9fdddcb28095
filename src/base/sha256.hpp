#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace runnel {

// A SHA-256 digest of text that comes in pieces.
class Sha256 {
public:
    Sha256();

    Sha256& add(std::string_view text);
    // The digest of all of it, in hexadecimal. Nothing can be added after that.
    std::string hex();

private:
    struct Free {
        void operator()(evp_md_ctx_st* digest) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> digest_;
};

inline std::string sha256_hex(std::string_view text) { return Sha256().add(text).hex(); }

}  // namespace runnel
