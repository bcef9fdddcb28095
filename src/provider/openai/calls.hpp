#pragma once

#include "provider/core/turn.hpp"
#include "provider/openai/delta.hpp"

#include <string>
#include <vector>

namespace runnel::provider {

// Tells the Turn which call a piece belongs to, for providers that number their calls and those
// that do not, and turns the older and newer kinds of calls into function calls.
class CallKeys {
public:
    // Whether what stands beside a call (`extra_content`) is state that its server wants back.
    enum class Extra { drop, keep };
    explicit CallKeys(Extra extra) : extra_(extra) {}

    void tell(timeline::Choice choice, const Piece& piece, Turn& turn);
    // A custom call's input becomes {"input": "…"}; it is closed here, unless the token limit cut
    // it.
    void finish(timeline::Choice choice, timeline::Finish reason, Turn& turn);
    void finish_all(Turn& turn);

private:
    // The calls of a choice that were begun without a number.
    struct Unnumbered {
        timeline::Choice choice;
        std::vector<std::string> ids{};  // empty where a call has none
    };
    struct Custom {
        timeline::Choice choice;
        Turn::CallKey key;
    };

    Turn::CallKey key_of(timeline::Choice choice, const Piece& piece);
    Unnumbered& unnumbered_of(timeline::Choice choice);
    static std::size_t unnumbered_call(Unnumbered& calls, const Piece& piece);
    void tell_custom_input(timeline::Choice choice, Turn::CallKey key, const Piece& piece,
                           Turn& turn);

    Extra extra_;
    std::vector<Unnumbered> unnumbered_;
    std::vector<Custom> open_custom_;
    std::string scratch_;
};

}  // namespace runnel::provider
