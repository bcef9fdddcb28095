#pragma once

#include "api/dialect.hpp"

#include <string>
#include <string_view>

// What streams and whole answers of this API share.
namespace runnel::api::gemini {

// Appends members in this API's own words, before others.
void append_fields(std::string& out, const timeline::NativeJson& fields);

// Whether such members say that there are no candidates because the prompt was refused.
bool is_blocked(std::string_view fields);

// Appends what stands behind the candidates, from the end of their list to the end of the object.
void append_tail(std::string& out, const Envelope& envelope,
                 const std::optional<timeline::Usage>& usage,
                 const timeline::NativeJson& native_usage);

std::string whole_answer(const Envelope& envelope, const timeline::Answer& answer);

// The status of an error.
int error_status(const Error& error);

// The error object, as it is sent with its HTTP status and in a stream.
std::string error_body(const Error& error);

}  // namespace runnel::api::gemini
