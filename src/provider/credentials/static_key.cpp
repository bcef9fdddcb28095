#include "provider/credentials/static_key.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace runnel::provider {

StaticKey::StaticKey(KeyHeader header, const Secret& key) : name_(header.name) {
    if (!key.empty()) value_ = Secret(std::string(header.prefix) + key.reveal());
}

void StaticKey::prove(const FinalRequest& request, Done done) const {
    std::vector<HeaderField> headers;
    const bool is_set = std::ranges::any_of(request.headers, [this](const HeaderField& header) {
        return ascii::equal_ignoring_case(header.name, name_);
    });
    if (!value_.empty() && !is_set) headers.push_back({std::string(name_), value_.reveal()});
    done(std::move(headers));
}

}  // namespace runnel::provider
