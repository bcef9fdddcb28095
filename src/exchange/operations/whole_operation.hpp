#pragma once

#include "api/api.hpp"
#include "base/padded.hpp"
#include "chat/operation.hpp"
#include "provider/provider.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::exchange {

// Something that is asked of a model and answered in one whole body, such as embeddings: as the
// exchange sees it that routes it, admits it, asks it and counts it.
class WholeOperation {
public:
    virtual ~WholeOperation() = default;

    // As records and metrics call it, where a chat's dialect is.
    virtual std::string_view name() const = 0;
    // What it is, as traces and messages say it: "embeddings".
    virtual std::string_view kind_name() const = 0;
    // First of all. `parser` is used during the call only.
    virtual Result<void> read(api::Incoming incoming, json::Parser* parser) = 0;

    // What it has in common with a chat. Its messages are there for rules to look at, between
    // show_words() and take_words_back().
    virtual chat::Request& asked() = 0;
    virtual void show_words() = 0;
    virtual void take_words_back() = 0;
    // To those who route it and count it.
    virtual chat::Operation operation() const = 0;

    // Its answers are of use only beside those of the same model.
    virtual bool wants_same_model() const = 0;
    virtual bool is_served_by(const provider::Provider& provider) const = 0;
    // What the next question is: all of it, or as much as the provider takes at once. An answer to
    // it brings the operation on; without one it is asked again, maybe of another.
    virtual Result<provider::Outgoing> next_question(const provider::Provider& provider,
                                                     std::string_view model) = 0;
    virtual Result<void> read_answer(const provider::Provider& provider, Padded body,
                                     json::Parser* parser) = 0;
    // There is nothing left to ask.
    virtual bool is_done() const = 0;

    // What the answers used, as far as they say it.
    virtual std::optional<std::int64_t> input_tokens() const = 0;
    // Of the answers.
    virtual std::size_t held_bytes() const = 0;
    struct Told {
        std::string_view model;  // that answered, as the client may call it
        std::int64_t input_tokens;
    };
    virtual std::string write_answer(const Told& told) const = 0;
};

}  // namespace runnel::exchange
