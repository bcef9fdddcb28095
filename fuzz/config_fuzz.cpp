#include "config/config.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace runnel;
    const auto environment = [](const char* name) -> const char* {
        return *name == 'K' ? "secret" : nullptr;
    };
    const auto config = config::read_config(fuzz::text_of(data, size), environment);
    if (config) return 0;
    fuzz::require(!config.error().empty(), "a refused config has a problem");
    for (const config::Problem& problem : config.error())
        fuzz::require(!problem.message.empty(), "a problem says what it is");
    return 0;
}
