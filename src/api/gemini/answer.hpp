#pragma once

#include "api/dialect.hpp"

#include <string>

// What streams and whole answers of this API share.
namespace runnel::api::gemini {

// Appends what stands behind the candidates, from the end of their list to the end of the object.
void append_tail(std::string& out, const Envelope& envelope,
                 const std::optional<timeline::Usage>& usage);

std::string whole_answer(const Envelope& envelope, const timeline::Answer& answer);

// The error object, as it is sent with its HTTP status and in a stream.
std::string error_body(const Error& error);

}  // namespace runnel::api::gemini
