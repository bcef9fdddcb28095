#pragma once

#include "answer.hpp"
#include "corpus.hpp"

#include <string>
#include <string_view>

// A second, independent reading of what a provider sent: the whole response at once, in the most
// obvious way, by the rules that the specification and the providers' own documents give. The
// gateway's decoders are checked against it, so nothing of theirs is used here.
namespace runnel::conformance {

// `from` is the Runnel kind, for the few rules that differ inside one format.
Answer read_plainly(Format format, std::string_view from, std::string_view bytes);

Answer read_openai_plainly(std::string_view from, std::string_view bytes);
Answer read_anthropic_plainly(std::string_view bytes);
Answer read_gemini_plainly(std::string_view bytes);
Answer read_ollama_plainly(std::string_view bytes);
Answer read_bedrock_plainly(std::string_view bytes);

// Models that think aloud inside their text open it with a <think> block, which is reasoning, not
// text. Which models do is known by name only, and OpenAI's own models never do.
bool thinks_in_tags(std::string_view from, std::string_view model);

// Moves a leading <think> block of the text to the reasoning. Without its end, all of the text is
// reasoning; line breaks between the block and the text belong to neither.
void take_out_think_block(Choice& choice);

}  // namespace runnel::conformance
