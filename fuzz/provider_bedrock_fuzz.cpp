#include "provider_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    runnel::fuzz::check_provider("bedrock", data, size);
    return 0;
}
