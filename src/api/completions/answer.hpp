#pragma once

#include "api/dialect.hpp"
#include "timeline/answer.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// What streams and whole answers of this API have in common.
namespace runnel::api::completions {

// What the answer begins with where the request has `echo`: its prompt, escaped.
std::string_view echoed_prompt(const Envelope& envelope);

std::string_view finish_reason(timeline::Finish finish);

// The logprobs object of a choice's tokens: lists beside each other, and where each token begins,
// in characters of the choice's text.
class TokenLists {
public:
    void skip(std::string_view escaped);  // text without tokens
    void add(const timeline::Logprobs& event);
    // The object of what was added since, or null.
    void write(std::string& out);
    std::size_t held_bytes() const;

private:
    std::string tokens_;
    std::string chosen_;
    std::string top_;
    std::string offsets_;
    bool any_top_ = false;
    std::int64_t offset_ = 0;
};

std::string whole_answer(const Envelope& envelope, const timeline::Answer& answer);

}  // namespace runnel::api::completions
