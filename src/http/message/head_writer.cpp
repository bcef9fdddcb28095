#include "http/message/head_writer.hpp"

#include "http/message/headers.hpp"

#include <charconv>
#include <utility>

namespace runnel::http {

HeadWriter::HeadWriter() { head_.reserve(512); }

HeadWriter HeadWriter::request(std::string_view method, std::string_view target,
                               std::string_view host) {
    HeadWriter out;
    out.add_target(method);
    out.head_ += ' ';
    out.add_target(target);
    out.head_ += " HTTP/1.1\r\n";
    out.field("Host", host);
    return out;
}

HeadWriter HeadWriter::response(std::string_view version, int status, std::string_view reason) {
    HeadWriter out;
    out.head_ += version;
    out.head_ += ' ';
    out.head_ += std::to_string(status);
    out.head_ += ' ';
    out.head_ += reason;
    out.head_ += "\r\n";
    return out;
}

void HeadWriter::add_target(std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte > 0x20 && byte != 0x7F) {
            head_ += c;
            continue;
        }
        constexpr std::string_view digits = "0123456789ABCDEF";
        head_ += '%';
        head_ += digits[byte / 16];
        head_ += digits[byte % 16];
    }
}

HeadWriter& HeadWriter::field(std::string_view name, std::string_view value) {
    if (!is_token(name)) return *this;
    head_ += name;
    head_ += ": ";
    if (is_field_value(value))
        head_ += value;
    else
        for (const char c : value) head_ += can_be_in_value(c) ? c : ' ';
    head_ += "\r\n";
    return *this;
}

HeadWriter& HeadWriter::number(std::string_view name, std::uint64_t value) {
    char digits[24];
    const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return field(name, {digits, static_cast<std::size_t>(end - digits)});
}

std::string HeadWriter::finish() {
    head_ += "\r\n";
    return std::move(head_);
}

}  // namespace runnel::http
