#include "provider/core/whole_body.hpp"

#include "base/limits.hpp"
#include "json/parser.hpp"

#include <fmt/format.h>

namespace runnel::provider {

void WholeBody::feed(Padded bytes) {
    if (ended_) return;
    bytes_ += bytes.text();
    if (bytes_.size() > limits::upstream_body_bytes)
        fail({ErrorKind::upstream_malformed,
              fmt::format("{} sent an answer larger than {} bytes", display_name_,
                          limits::upstream_body_bytes)});
}

void WholeBody::finish() {
    if (json::has_more_values(bytes_, limits::upstream_values))
        fail({ErrorKind::upstream_malformed, fmt::format("{} sent an answer of more than {} values",
                                                         display_name_, limits::upstream_values)});
    ended_ = true;
}

void WholeBody::fail(Error error) {
    if (failure_ || ended_) return;
    failure_ = std::move(error);
    ended_ = true;
}

}  // namespace runnel::provider
