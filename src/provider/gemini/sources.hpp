#pragma once

#include "json/parser.hpp"
#include "provider/core/turn.hpp"

#include <cstddef>
#include <set>
#include <string>

namespace runnel::provider::gemini {

// The sources an answer cites, each address once: Gemini repeats them, and again with every event.
// Which words a source stands behind is told in bytes of the whole answer, which nobody here keeps,
// so that is not told.
class Sources {
public:
    void read_grounding(json::ondemand::value metadata, timeline::Choice choice, Turn& turn);
    void read_citations(json::ondemand::value metadata, timeline::Choice choice, Turn& turn);
    // Google searched the web; what its results added to the prompt is not billed.
    bool searched() const { return searched_; }
    std::size_t held_bytes() const { return held_bytes_; }

private:
    void read_source(json::ondemand::value source, timeline::Choice choice, Turn& turn);

    std::set<std::string> told_;
    std::size_t held_bytes_ = 0;
    bool searched_ = false;
};

}  // namespace runnel::provider::gemini
