#pragma once

#include "provider/credentials/credentials.hpp"

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace runnel::testing {

// What credentials that answer at once add to a request with these headers, as "name: value".
inline std::vector<std::string> proven(const provider::Credentials& credentials,
                                       std::span<const HeaderField> headers = {}) {
    std::vector<std::string> lines;
    credentials.prove({"POST", "https://provider.invalid", "/v1", headers, "{}"},
                      [&lines](const provider::Credentials::Proof& proof) {
                          if (!proof) throw std::runtime_error(proof.error().message);
                          for (const HeaderField& header : *proof)
                              lines.push_back(header.name + ": " + header.value);
                      });
    return lines;
}

}  // namespace runnel::testing
