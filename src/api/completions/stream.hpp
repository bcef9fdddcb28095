#pragma once

#include "api/completions/answer.hpp"
#include "api/dialect.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::api::completions {

// The stream of text completions: objects with what was added to a choice, then why each ends, and
// [DONE]. What is no text has no word in this API, nor have tools.
class Stream final : public Encoder {
public:
    // `out` must outlive the encoder.
    Stream(const Envelope& envelope, std::string* out);

    void on(const timeline::Event& event) override;
    std::size_t held_bytes() const override;

private:
    struct Choice {
        bool has_begun = false;
        TokenLists tokens{};
    };

    Choice& begun(timeline::Choice index);
    void tell(timeline::Choice index, std::string_view text);
    void begin_chunk(timeline::Choice index);
    void finish(const timeline::Finished& event);
    void end();

    std::string& out_;
    std::string prompt_;  // that every choice begins with
    Envelope::Usage show_usage_;
    std::string chunk_begin_;  // up to the choices
    std::string text_begin_;   // of the first choice
    std::string text_end_;     // of a text without tokens
    std::string_view no_usage_;
    std::vector<Choice> choices_;
    std::optional<timeline::Usage> usage_;
    bool failed_ = false;
};

}  // namespace runnel::api::completions
