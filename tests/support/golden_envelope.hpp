#pragma once

#include "api/dialect.hpp"

#include <string>
#include <string_view>
#include <vector>

// The envelope of the specification's vectors, for tests of what dialects write.
namespace runnel::testing {

inline const api::Envelope golden{.id = "chatcmpl-T", .created = 1700000000, .model = "m1"};

inline api::Envelope golden_with_usage() {
    api::Envelope envelope = golden;
    envelope.usage = api::Envelope::Usage::shown;
    return envelope;
}

inline std::string encoded(const api::Dialect& dialect, const api::Envelope& envelope,
                           const std::vector<timeline::Event>& events) {
    std::string out;
    const auto encoder = dialect.make_encoder(envelope, &out);
    for (const timeline::Event& event : events) encoder->on(event);
    return out;
}

inline std::string whole(const api::Dialect& dialect, const api::Envelope& envelope,
                         const std::vector<timeline::Event>& events) {
    timeline::Fold fold;
    for (const timeline::Event& event : events) fold.on(event);
    return dialect.write_answer(envelope, fold.answer());
}

inline const std::string done = "data: [DONE]\n\n";

}  // namespace runnel::testing
