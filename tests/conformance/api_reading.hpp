#pragma once

#include "answer.hpp"
#include "client_body.hpp"
#include "client_stream.hpp"

#include <string>
#include <string_view>
#include <vector>

// Strict readers of what clients of every API receive. Like those of chat completions they take
// nothing on trust: framing byte by byte, which members, in which order, what may follow what.
namespace runnel::conformance {

// In any dialect of any API.
ClientStream read_any_stream(std::string_view bytes, const ExpectedEnvelope& expected);
ClientBody read_any_body(std::string_view bytes, const ExpectedEnvelope& expected);

// Those of the APIs beside chat completions.
const std::vector<std::string_view>& dialects_of_other_apis();
// With those of chat completions.
const std::vector<std::string_view>& all_dialects();

// Whether a provider of this kind is spoken to in the API of that dialect: then its answers may
// have more than these readers know.
bool is_own_api(std::string_view from, std::string_view dialect);

// What is left of an answer that is told in this dialect: not every API has a word for all of it.
enum class Form { stream, whole };
Answer as_told_in(std::string_view dialect, Form form, Answer answer);

ClientStream read_messages_stream(std::string_view bytes, const ExpectedEnvelope& expected);
ClientBody read_messages_body(std::string_view bytes, const ExpectedEnvelope& expected);
ClientStream read_responses_stream(std::string_view bytes, const ExpectedEnvelope& expected);
ClientBody read_responses_body(std::string_view bytes, const ExpectedEnvelope& expected);
ClientStream read_gemini_stream(std::string_view bytes, const ExpectedEnvelope& expected);
ClientBody read_gemini_body(std::string_view bytes, const ExpectedEnvelope& expected);

}  // namespace runnel::conformance
