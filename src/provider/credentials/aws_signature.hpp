#pragma once

#include "base/secret.hpp"
#include "provider/credentials/credentials.hpp"

#include <chrono>
#include <string>
#include <vector>

// AWS' Signature Version 4.
namespace runnel::provider {

struct AwsKeys {
    std::string id;  // AKIA…; it is in every request, and no secret
    Secret secret;
    Secret session_token{};  // of keys that were given out for a time
};

struct AwsScope {
    std::string region;
    std::string service;
};

// The headers that prove who asks: what stands in them of the request is its method, host, path,
// query, body, content type and x-amz… headers, because what is between may change the others. The
// path is taken as it will be sent, and encoded once more, as all services but S3 want it.
std::vector<HeaderField> aws_signature(const FinalRequest& request, const AwsKeys& keys,
                                       const AwsScope& scope, std::chrono::sys_seconds now);

}  // namespace runnel::provider
