// Arbitrary bytes as a client's connection: whatever they are, reading them ends, and what is taken
// was there.
#include "http/request_reader.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t step = 1 + data[0] % 64;
    const std::string_view wire(reinterpret_cast<const char*>(data) + 1, size - 1);
    runnel::http::RequestReader reader({4096, 65536});
    std::string pending;
    for (std::size_t at = 0; at < wire.size(); at += step) {
        pending += wire.substr(at, step);
        while (!pending.empty()) {
            const auto taken = reader.feed(pending);
            if (!taken) return 0;
            if (*taken > pending.size()) std::abort();
            pending.erase(0, *taken);
            if (!reader.done()) break;
            if (reader.take().body.size() > 65536) std::abort();
        }
    }
    return 0;
}
