#pragma once

#include <string>
#include <string_view>

namespace runnel::tools {

// A page as a reader sees it: no markup, scripts or styles, one line per block, links by their
// text.
struct PageText {
    std::string title;
    std::string text;
};

// Any text is safe to give; what is no HTML is taken as a browser would, more or less. Never longer
// than the page.
PageText html_to_text(std::string_view html);

}  // namespace runnel::tools
