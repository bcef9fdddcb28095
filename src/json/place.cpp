#include "json/place.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::json {
namespace {

bool is_identifier(std::string_view name) {
    const auto fits = [](char c) {
        return ascii::is_alphanumeric(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    };
    return !name.empty() && name.size() <= shown_bytes && std::ranges::all_of(name, fits);
}

}  // namespace

std::string shortened(std::string_view text, std::size_t bytes_max) {
    const std::string_view shown = utf8_prefix(text, bytes_max);
    return fmt::format("{}{}", shown, shown.size() < text.size() ? "…" : "");
}

std::string in_quotes(std::string_view plain) {
    return fmt::format("\"{}\"", shortened(plain, shown_bytes));
}

std::string step_to_member(std::string_view name) {
    return is_identifier(name) ? fmt::format(".{}", name) : fmt::format("[{}]", in_quotes(name));
}

}  // namespace runnel::json
