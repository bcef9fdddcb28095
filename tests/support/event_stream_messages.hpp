#pragma once

#include "framing/event_stream.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::testing {

using MessageHeader = std::pair<std::string_view, std::string_view>;

inline void append_big_endian(std::string& out, std::size_t number, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        out += static_cast<char>(number >> shift & 0xFF);
}

// Headers as AWS writes them, all of them strings.
inline std::string encoded_headers(const std::vector<MessageHeader>& headers) {
    std::string out;
    for (const auto& [name, value] : headers) {
        append_big_endian(out, name.size(), 1);
        out.append(name).append(1, '\x07');
        append_big_endian(out, value.size(), 2);
        out += value;
    }
    return out;
}

// One message of AWS' event stream. `headers` are encoded already.
inline std::string event_stream_message(std::string_view headers, std::string_view payload) {
    std::string out;
    append_big_endian(out, 12 + headers.size() + payload.size() + 4, 4);
    append_big_endian(out, headers.size(), 4);
    append_big_endian(out, framing::crc32(out), 4);
    out.append(headers).append(payload);
    append_big_endian(out, framing::crc32(out), 4);
    return out;
}

inline std::string event_message(std::string_view type, std::string_view payload) {
    return event_stream_message(encoded_headers({{":event-type", type},
                                                 {":content-type", "application/json"},
                                                 {":message-type", "event"}}),
                                payload);
}

inline std::string exception_message(std::string_view type, std::string_view payload) {
    return event_stream_message(encoded_headers({{":exception-type", type},
                                                 {":content-type", "application/json"},
                                                 {":message-type", "exception"}}),
                                payload);
}

}  // namespace runnel::testing
