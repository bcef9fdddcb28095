#pragma once

#include "api/dialect.hpp"
#include "api/ollama/request.hpp"
#include "timeline/answer.hpp"

#include <optional>
#include <string>
#include <string_view>

// What streams and whole answers of this API have in common.
namespace runnel::api::ollama {

// What every object begins with: {"model":…,"created_at":…
std::string object_begin(const Envelope& envelope);

// A call as an element of `tool_calls`.
void append_call(std::string& out, int index, std::string_view id, std::string_view name,
                 std::string_view arguments_escaped);

// What the last object ends with: ,"done":true, why it ends, and what it took.
enum class Asked { words, nothing };
Asked what_was_asked(const Envelope& envelope);
struct Ending {
    Asked asked = Asked::words;
    timeline::Finish finish = timeline::Finish::stop;
    std::optional<timeline::Usage> usage{};
};
void append_end(std::string& out, const Ending& ending, const Took* took);

std::string whole_answer(const Envelope& envelope, Form form, const timeline::Answer& answer);

std::string error_body(const Error& error);

}  // namespace runnel::api::ollama
