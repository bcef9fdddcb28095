#include "http/message/message_head.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <charconv>

namespace runnel::http {
namespace {

std::string_view trimmed_value(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Calls back with each element of a comma-separated value.
template <typename Call>
void for_each_element(std::string_view list, const Call& call) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        if (const auto element = trimmed_value(list.substr(0, comma)); !element.empty())
            call(element);
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

// What names and addresses of hosts are written with, ports and brackets included.
bool is_host(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        return ascii::is_alphanumeric(c) || std::string_view("-._~:[]%!$&'()*+,;=").contains(c);
    });
}

}  // namespace

std::expected<HeaderList::Field, std::string_view> read_field(std::string_view line) {
    if (line.starts_with(' ') || line.starts_with('\t'))
        return std::unexpected("a header field goes on in a second line");
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::unexpected("a header field has no colon");
    const std::string_view name = line.substr(0, colon);
    if (!is_token(name))
        return std::unexpected("the name of a header field is empty or has a character that names "
                               "can't have, such as a space before the colon");
    const std::string_view value = trimmed_value(line.substr(colon + 1));
    if (!is_field_value(value))
        return std::unexpected("the value of a header field has a control character");
    return HeaderList::Field{name, value};
}

void MessageFacts::note(HeaderList::Field field) {
    const auto [name, value] = field;
    const auto is = [name](std::string_view other) {
        return ascii::equal_ignoring_case(name, other);
    };
    switch (name.size()) {
        case 4:
            if (!is("Host")) return;
            ++hosts;
            host_is_valid = is_host(value);
            return;
        case 6:
            if (is("Expect")) expects_continue = ascii::equal_ignoring_case(value, "100-continue");
            return;
        case 10:
            if (!is("Connection")) return;
            for_each_element(value, [this](std::string_view option) {
                if (ascii::equal_ignoring_case(option, "close")) says_close = true;
                if (ascii::equal_ignoring_case(option, "keep-alive")) says_keep_alive = true;
            });
            return;
        case 13:
            if (is("Authorization")) ++authorizations;
            return;
        case 14: {
            if (!is("Content-Length")) return;
            std::uint64_t number = 0;
            const char* end = value.data() + value.size();
            const auto [stop, error] = std::from_chars(value.data(), end, number);
            if (error != std::errc() || stop != end || (lengths > 0 && number != length))
                length_is_valid = false;
            length = number;
            ++lengths;
            return;
        }
        case 17:
            if (!is("Transfer-Encoding")) return;
            is_chunked = ascii::equal_ignoring_case(value, "chunked") && transfer_codings == 0;
            ++transfer_codings;
            return;
        default: return;
    }
}

}  // namespace runnel::http
