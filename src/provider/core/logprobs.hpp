#pragma once

#include "json/parser.hpp"
#include "provider/core/turn.hpp"

#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {

// Reads the log probabilities of an OpenAI-like provider (a choice's `logprobs`): objects for each
// token, which may lack members, or the lists of tokens and numbers of the older format (Together).
// Views lie in the document.
class LogprobsReader {
public:
    void clear();
    void read(json::ondemand::value logprobs);
    // Nothing where there are none.
    void tell(timeline::Choice choice, Turn& turn) const;

private:
    using Tokens = std::vector<timeline::TokenLogprob>;

    void read_tokens(json::ondemand::value list, Tokens& out);
    timeline::TokenLogprob read_token(json::ondemand::object token);
    std::string_view clean_text(json::ondemand::value value);

    Tokens text_;
    Tokens refusal_;
    Tokens reasoning_;  // DeepSeek's
    std::list<Tokens> top_;
    std::list<std::string> made_;  // text that does not stand in the document as it is needed
};

}  // namespace runnel::provider
