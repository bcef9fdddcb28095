#include "base/web_origin.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace runnel {

// By hand: whatever stands in a header field is compared, also what is no URL.
std::string web_origin(std::string_view text) {
    std::string origin(text);
    std::ranges::transform(origin, origin.begin(), ascii::lower);
    for (const auto& [scheme, port] :
         {std::pair<std::string_view, std::string_view>{"http://", ":80"}, {"https://", ":443"}})
        if (origin.starts_with(scheme) && origin.ends_with(port) &&
            origin.size() > scheme.size() + port.size())
            origin.resize(origin.size() - port.size());
    return origin;
}

}  // namespace runnel
