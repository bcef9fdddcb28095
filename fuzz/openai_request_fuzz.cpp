#include "request_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace runnel;
    const auto request =
        fuzz::check_request(api::chat_api(), {.body = std::string(fuzz::text_of(data, size))});
    if (request) fuzz::require(!request->messages.empty(), "a request has messages");
    return 0;
}
