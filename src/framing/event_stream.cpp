#include "framing/event_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace runnel::framing {
namespace {

constexpr std::size_t prelude_bytes = 12;  // two lengths and their checksum
constexpr std::size_t checksum_bytes = 4;
constexpr std::size_t slices = 8;

// The polynomial's table, and seven more, so that eight bytes are taken at a time.
constexpr std::array<std::array<std::uint32_t, 256>, slices> crc_tables = [] {
    std::array<std::array<std::uint32_t, 256>, slices> tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t sum = i;
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320U : 0);
        tables[0][i] = sum;
    }
    for (std::size_t slice = 1; slice < slices; ++slice)
        for (std::size_t i = 0; i < 256; ++i)
            tables[slice][i] = tables[slice - 1][i] >> 8 ^ tables[0][tables[slice - 1][i] & 0xFF];
    return tables;
}();

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes[at]);
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < size; ++i) number = number << 8 | byte_at(bytes, at + i);
    return number;
}

std::unexpected<Error> broken(std::string_view what) {
    return fail(ErrorKind::upstream_malformed, fmt::format("an event stream {}", what));
}

// The headers that say what a message is.
struct MessageHeaders {
    std::string_view message_type{};
    std::string_view event_type{};
    std::string_view exception_type{};
    std::string_view error_code{};
    std::string_view error_message{};

    std::string_view* named(std::string_view name) {
        if (name == ":message-type") return &message_type;
        if (name == ":event-type") return &event_type;
        if (name == ":exception-type") return &exception_type;
        if (name == ":error-code") return &error_code;
        if (name == ":error-message") return &error_message;
        return nullptr;
    }
};

// How many bytes a header's value has that says nothing of its length itself.
std::optional<std::size_t> fixed_size(std::uint8_t type) {
    constexpr std::array<std::size_t, 6> integers{0, 0, 1, 2, 4, 8};  // true, false, 8 to 64 bits
    if (type < integers.size()) return integers[type];
    if (type == 8) return 8;   // a time
    if (type == 9) return 16;  // a UUID
    return std::nullopt;
}

constexpr std::uint8_t type_bytes = 6;
constexpr std::uint8_t type_string = 7;

// False where they are no headers.
bool read_headers(std::string_view bytes, MessageHeaders& out) {
    while (!bytes.empty()) {
        const std::size_t name_size = byte_at(bytes, 0);
        if (bytes.size() < 1 + name_size + 1) return false;
        const std::string_view name = bytes.substr(1, name_size);
        const std::uint8_t type = byte_at(bytes, 1 + name_size);
        bytes.remove_prefix(1 + name_size + 1);
        std::size_t size = 0;
        if (const auto fixed = fixed_size(type)) {
            size = *fixed;
        } else if ((type == type_bytes || type == type_string) && bytes.size() >= 2) {
            size = big_endian(bytes, 0, 2);
            bytes.remove_prefix(2);
        } else {
            return false;
        }
        if (bytes.size() < size) return false;
        std::string_view* wanted = type == type_string ? out.named(name) : nullptr;
        if (wanted != nullptr) *wanted = bytes.substr(0, size);
        bytes.remove_prefix(size);
    }
    return true;
}

Result<void> tell_message(Padded message, FrameSink& sink) {
    const std::string_view bytes = message.text();
    const std::size_t sum_at = bytes.size() - checksum_bytes;
    if (crc32(bytes.substr(0, sum_at)) != big_endian(bytes, sum_at, checksum_bytes))
        return broken("has a message whose checksum is wrong");
    const std::size_t headers_size = big_endian(bytes, 4, 4);
    MessageHeaders headers;
    if (!read_headers(bytes.substr(prelude_bytes, headers_size), headers))
        return broken("has a message whose headers nobody can read");
    const std::size_t payload_at = prelude_bytes + headers_size;
    const Padded payload = message.part(payload_at, sum_at - payload_at);
    if (headers.message_type == "exception") {
        sink.on_frame({headers.exception_type, payload, Frame::Tells::failure});
    } else if (headers.message_type == "error") {
        // What went wrong stands in the headers, and the payload is empty.
        std::string words(headers.error_message);
        sink.on_frame({headers.error_code, Padded::of(words), Frame::Tells::failure});
    } else {
        sink.on_frame({headers.event_type, payload});
    }
    return {};
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
    std::uint32_t sum = ~before;
    std::size_t at = 0;
    for (; at + slices <= bytes.size(); at += slices) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < slices; ++i) {
            const std::uint8_t mixed = byte_at(bytes, at + i) ^ (i < 4 ? sum >> (8 * i) & 0xFF : 0);
            next ^= crc_tables[slices - 1 - i][mixed];
        }
        sum = next;
    }
    for (; at < bytes.size(); ++at)
        sum = sum >> 8 ^ crc_tables[0][(sum ^ byte_at(bytes, at)) & 0xFF];
    return ~sum;
}

Result<void> EventStream::feed(Padded bytes, FrameSink& sink) {
    while (!bytes.empty()) {
        if (message_.empty()) {
            auto size = bytes.size() < prelude_bytes ? Result<std::size_t>(prelude_bytes)
                                                     : message_bytes(bytes.text());
            if (!size) return propagate(size);
            if (bytes.size() >= *size && bytes.size() >= prelude_bytes) {
                if (auto handed = tell_message(bytes.part(0, *size), sink); !handed) return handed;
                bytes = bytes.part(*size);
                continue;
            }
        }
        auto missing = missing_bytes();
        if (!missing) return propagate(missing);
        const std::size_t taken = std::min(*missing, bytes.size());
        message_ += bytes.text().substr(0, taken);
        bytes = bytes.part(taken);
        missing = missing_bytes();
        if (!missing) return propagate(missing);
        if (*missing > 0) continue;
        // The sink may keep nothing of it, so the room can be used again.
        auto handed = tell_message(Padded::of(message_), sink);
        message_.clear();
        if (!handed) return handed;
    }
    return {};
}

Result<void> EventStream::finish(FrameSink&) { return {}; }

Result<std::size_t> EventStream::message_bytes(std::string_view prelude) const {
    if (crc32(prelude.substr(0, 8)) != big_endian(prelude, 8, 4))
        return broken("has a message whose beginning's checksum is wrong");
    const std::size_t total = big_endian(prelude, 0, 4);
    const std::size_t headers = big_endian(prelude, 4, 4);
    if (total < prelude_bytes + checksum_bytes || headers > total - prelude_bytes - checksum_bytes)
        return broken("has a message whose lengths contradict each other");
    if (total > message_bytes_max_)
        return broken(fmt::format("has a message larger than {} bytes", message_bytes_max_));
    return total;
}

Result<std::size_t> EventStream::missing_bytes() const {
    if (message_.size() < prelude_bytes) return prelude_bytes - message_.size();
    auto size = message_bytes(message_);
    if (!size) return propagate(size);
    return *size - message_.size();
}

}  // namespace runnel::framing
