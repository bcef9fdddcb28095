#pragma once

#include "api/dialect.hpp"

#include <optional>
#include <string>
#include <string_view>

// The words of Anthropic's Messages API that its streams and its whole answers share.
namespace runnel::api::messages {

// In this API's words. `native` is the provider's own word for it, which stands where it is one of
// them.
std::string_view stop_reason(timeline::Finish finish, std::string_view stop_sequence,
                             std::string_view native);

// Whether it is an object in this API's words.
bool is_ours(const timeline::NativeJson& json);
// Appends the members of an object behind others.
void append_members(std::string& out, std::string_view object_raw);

// `usage` as an object.
void append_usage(std::string& out, const std::optional<timeline::Usage>& usage);

// A citation as a member of a text block's list.
void append_citation(std::string& out, const timeline::Citation& citation);

// Signatures of Anthropic's own go to its clients as they are; others with their issuer's name.
void append_signature(std::string& out, std::string_view issuer, std::string_view data);

// A whole answer.
std::string whole_answer(const Envelope& envelope, const timeline::Answer& answer);

// The status of an error.
int error_status(const Error& error);

// The error object, as it is sent with its HTTP status and in a stream.
std::string error_body(const Error& error);

}  // namespace runnel::api::messages
