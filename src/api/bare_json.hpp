#pragma once

#include "api/dialect.hpp"

#include <string>

namespace runnel::api {

// The stream of a request for JSON only: one event whose data is the answer's text, which is a JSON
// value on one line, and [DONE]. A failure is an error frame in its place; nothing else shows.
class BareJsonStream final : public Encoder {
public:
    // `out` must outlive the encoder.
    explicit BareJsonStream(std::string* out) : out_(*out) {}

    void on(const timeline::Event& event) override;

private:
    std::string& out_;
};

// The whole answer of such a request.
std::string bare_json(const timeline::Answer& answer);

}  // namespace runnel::api
