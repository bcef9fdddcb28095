#pragma once

#include "answer.hpp"
#include "client_rules.hpp"

#include <string>
#include <string_view>
#include <vector>

// What a stream and a whole answer have in common. Each function takes one JSON value as text and
// adds what is wrong with it to `violations`.
namespace runnel::conformance {

// Counts every prompt token, whatever this dialect's prompt_tokens says.
Usage read_client_usage(std::string_view json, const ClientRules& rules,
                        std::vector<std::string>& violations);

// {"message","type","code","param"} and nothing else; returns the message.
std::string read_client_error(std::string_view json, std::vector<std::string>& violations);

// Keys that only providers use. In the client's JSON they mean that something leaked.
std::vector<std::string> provider_words_in(std::string_view json, const ClientRules& rules);

}  // namespace runnel::conformance
