#pragma once

#include "json/parser.hpp"
#include "provider/core/turn.hpp"

#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::gemini {

// Reads a candidate's logprobsResult: the tokens that were chosen, and for each those that might
// have been. Views lie in the document.
class Logprobs {
public:
    void read(json::ondemand::value result);
    // Tells what was read, and forgets it. Nothing where there is none.
    void tell(timeline::Choice choice, Turn& turn);

private:
    using Tokens = std::vector<timeline::TokenLogprob>;

    void read_tokens(json::ondemand::value list, Tokens& out);

    Tokens chosen_;
    std::list<Tokens> top_;
    std::list<std::string> made_;  // text that had to be mended
};

}  // namespace runnel::provider::gemini
