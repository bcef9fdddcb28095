#include "config/names.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"

#include <algorithm>

namespace runnel::config {
namespace {

constexpr std::size_t name_bytes_max = 128;
constexpr std::size_t id_prefix_bytes_max = 32;

bool made_of(std::string_view text, std::string_view besides_letters_and_digits) {
    return std::ranges::all_of(text, [&](char c) {
        return ascii::is_alphanumeric(c) || besides_letters_and_digits.contains(c);
    });
}

}  // namespace

bool is_provider_name(std::string_view text) {
    return !text.empty() && text.size() <= name_bytes_max && made_of(text, "._-");
}

bool is_model_name(std::string_view text) {
    return !text.empty() && text.size() <= name_bytes_max && ascii::is_alphanumeric(text.front()) &&
           made_of(text, "._-:/+@");
}

bool is_tool_name(std::string_view text) {
    return !text.empty() && text.size() <= limits::tool_name_bytes && made_of(text, "_-");
}

bool is_id_prefix(std::string_view text) {
    return text.size() <= id_prefix_bytes_max && made_of(text, "._-");
}

bool is_api_version(std::string_view text) {
    return !text.empty() && text.size() <= name_bytes_max && made_of(text, ".-");
}

bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

bool is_header_name(std::string_view text) {
    return !text.empty() && text.size() <= name_bytes_max && made_of(text, "!#$%&'*+-.^_`|~");
}

bool is_header_value(std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; });
}

bool is_framing_header(std::string_view name) {
    constexpr std::string_view names[] = {"connection", "content-length",    "expect", "host", "te",
                                          "trailer",    "transfer-encoding", "upgrade"};
    return std::ranges::any_of(names,
                               [&](auto one) { return ascii::equal_ignoring_case(name, one); });
}

bool is_credential_header(std::string_view name) {
    return ascii::equal_ignoring_case(name, "authorization") ||
           ascii::equal_ignoring_case(name, "x-api-key");
}

bool is_uuid(std::string_view text) {
    constexpr std::string_view form = "00000000-0000-0000-0000-000000000000";
    return std::ranges::equal(text, form, [](char c, char place) {
        return place == '-' ? c == '-' : ascii::is_digit(c) || (c >= 'a' && c <= 'f');
    });
}

}  // namespace runnel::config
