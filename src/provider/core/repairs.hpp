#pragma once

#include "provider/provider.hpp"

#include <string>

// Cures for requests that a provider refuses because it is older, newer or stricter than its kind.
namespace runnel::provider {

// True where the reply complains of what the words name: a bad request whose body has one of them.
bool complains_of(const ErrorReply& reply, std::initializer_list<std::string_view> words);

// Takes `"stream_options":{…}` out of a body that we wrote. False: there is none.
bool remove_stream_options(std::string& body);

// Puts `signature` in the place of every thought signature of a body that we wrote. False: there is
// none.
bool replace_thought_signatures(std::string& body, std::string_view signature);

// Takes Claude's signed thinking out of the messages of a body that we wrote, and a thinking
// budget, which a tool turn without its thinking excludes. False: there is none.
bool remove_signed_thinking(std::string& body);

}  // namespace runnel::provider
