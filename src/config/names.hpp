#pragma once

#include <string_view>

// What may be called what.
namespace runnel::config {

// The provider that is always there.
inline constexpr std::string_view built_in_provider = "demo";

// No slash: in provider/model the first one ends the provider's name.
bool is_provider_name(std::string_view text);

// What fits into a URL path and a header as it is, slashes included; an @ in front would be read as
// @provider/model.
bool is_model_name(std::string_view text);

// What every provider takes as the name of a function.
bool is_tool_name(std::string_view text);

bool is_id_prefix(std::string_view text);
bool is_api_version(std::string_view text);

// What can stand behind "Bearer " in a header.
bool is_token(std::string_view text);

bool is_header_name(std::string_view text);
bool is_header_value(std::string_view text);
// Headers that say how a request travels; a wrong one breaks the connection.
bool is_framing_header(std::string_view name);
// Headers that keys come in.
bool is_credential_header(std::string_view name);

// 8-4-4-4-12 hexadecimal digits, in small letters.
bool is_uuid(std::string_view text);

}  // namespace runnel::config
