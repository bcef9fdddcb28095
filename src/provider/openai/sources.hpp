#pragma once

#include "json/parser.hpp"
#include "provider/core/turn.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::provider {

// A page that an answer cites.
struct Page {
    std::string url;  // empty: none
    std::string title;
};
// As an object with both, or as an address.
Page read_page(json::ondemand::value page);

// The pages an answer cites where they stand beside its choices: xAI's and Perplexity's `citations`
// (addresses) and Perplexity's `search_results` (addresses with titles); and those that Groq's
// searches found. They come again with every chunk; each page is told once, in the order of its
// first mention, which is what [1], [2] in the text count. Where choices have citations of their
// own, these lists say the same once more.
class Sources {
public:
    // Either list. What it says is told later: the titles may stand in the other one.
    void read(json::ondemand::value list);
    void add(Page page);
    void tell(Turn& turn);
    // Of a choice's own citation, which may come again with every chunk, too.
    bool is_new(timeline::Choice choice, const timeline::Citation& citation);
    std::size_t held_bytes() const { return held_bytes_; }

private:
    std::vector<Page> all_;
    std::map<std::string, std::size_t> places_;  // in `all_`, by address
    std::size_t told_ = 0;
    std::size_t held_bytes_ = 0;
    std::set<std::pair<timeline::Choice, std::string>> citations_;
};

}  // namespace runnel::provider
