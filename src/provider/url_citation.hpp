#pragma once

#include "json/parser.hpp"

#include <string>
#include <string_view>

namespace runnel::provider {

// OpenAI's annotation for a page that an answer cites, from plain text. Which words the page stands
// behind is known to few providers; for the others the indexes are 0.
std::string url_citation(std::string_view url, std::string_view title);

// An annotation of an OpenAI-like provider as SDKs can read it: as it stands, or with the members
// that it lacks. Empty where it cites no page (OpenRouter's parsed files, Groq's documents): SDKs
// know this one kind, and give up on a chunk with another.
std::string readable_annotation(json::ondemand::value annotation);

}  // namespace runnel::provider
