#pragma once

#include "json/parser.hpp"
#include "timeline/event.hpp"

#include <optional>

namespace runnel::provider {

// What an annotation of an OpenAI-like provider cites; views lie in the document. Nothing where it
// cites no page (OpenRouter's parsed files, Groq's documents).
std::optional<timeline::Citation> read_url_citation(json::ondemand::value annotation);

}  // namespace runnel::provider
