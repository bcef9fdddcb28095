#include "api/issued.hpp"

#include "json/text.hpp"

#include <charconv>

namespace runnel::api {
namespace {

// No provider's own begin so. The length of the issuer's name comes next, because names of models
// have colons in them.
constexpr std::string_view mark = "runnel:";

}  // namespace

void append_issued(std::string& out, std::string_view issuer, std::string_view data_escaped) {
    std::string name;
    json::append_escaped(name, issuer);
    out.append(mark).append(std::to_string(name.size())).append(":");
    out.append(name).append(":").append(data_escaped);
}

Issued read_issued(std::string_view carried_escaped) {
    if (!carried_escaped.starts_with(mark)) return {{}, carried_escaped};
    const std::string_view rest = carried_escaped.substr(mark.size());
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    const auto begin = static_cast<std::size_t>(end - rest.data()) + 1;
    if (error != std::errc{} || begin > rest.size() || size >= rest.size() - begin ||
        rest[begin - 1] != ':' || rest[begin + size] != ':')
        return {{}, {}};
    return {json::unescaped(rest.substr(begin, size)), rest.substr(begin + size + 1)};
}

}  // namespace runnel::api
