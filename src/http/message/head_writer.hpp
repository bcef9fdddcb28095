#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runnel::http {

// Writes the head of a message, to clients and to upstreams. The one place where header fields
// become lines: whatever stands in a name or a value, each field is one line and no more.
class HeadWriter {
public:
    // To an upstream. What can't stand in a target is percent-encoded.
    static HeadWriter request(std::string_view method, std::string_view target,
                              std::string_view host);
    // To a client. `version` is HTTP/1.1 or HTTP/1.0.
    static HeadWriter response(std::string_view version, int status, std::string_view reason);

    // Control characters of the value become spaces; a field whose name is no name is left out.
    HeadWriter& field(std::string_view name, std::string_view value);
    HeadWriter& number(std::string_view name, std::uint64_t value);
    // The head with its empty line. Nothing can be written after it.
    std::string finish();

private:
    HeadWriter();
    void add_target(std::string_view text);

    std::string head_;
};

}  // namespace runnel::http
