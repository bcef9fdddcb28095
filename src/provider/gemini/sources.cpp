#include "provider/gemini/sources.hpp"

#include "json/text.hpp"
#include "provider/core/json_fields.hpp"

namespace runnel::provider::gemini {

using json::ondemand::value;

namespace {

constexpr std::size_t entry_bytes = 80;  // of what is kept of an address besides its text

}  // namespace

void Sources::read_grounding(value metadata, timeline::Choice choice, Turn& turn) {
    const auto searched = [&](auto&&...) { searched_ = true; };
    for_each_field(metadata, [&](std::string_view key, value inside) {
        if (key == "webSearchQueries") for_each_element(inside, searched);
        if (key == "searchEntryPoint") for_each_field(inside, searched);
        if (key != "groundingChunks") return;
        for_each_element(inside, [&](value chunk) {
            // A chunk has one member, named by what it is: web, retrievedContext, maps.
            for_each_field(
                chunk, [&](std::string_view, value source) { read_source(source, choice, turn); });
        });
    });
}

void Sources::read_citations(value metadata, timeline::Choice choice, Turn& turn) {
    for_each_field(metadata, [&](std::string_view key, value inside) {
        // Vertex has another name for them.
        if (key != "citationSources" && key != "citations") return;
        for_each_element(inside, [&](value source) { read_source(source, choice, turn); });
    });
}

void Sources::read_source(value source, timeline::Choice choice, Turn& turn) {
    timeline::Citation citation{.choice = choice};
    for_each_field(source, [&](std::string_view key, value inside) {
        if (key == "uri") json::escaped_string(inside, citation.url);
        if (key == "title") json::escaped_string(inside, citation.title);
    });
    if (citation.url.empty()) return;
    std::string url = json::unescaped(citation.url);
    const std::size_t bytes = entry_bytes + url.size();
    if (!told_.insert(std::move(url)).second) return;
    held_bytes_ += bytes;
    turn.citation(citation);
}

}  // namespace runnel::provider::gemini
