#pragma once

#include "api/api.hpp"

namespace runnel::api::ollama {

// What is asked: a conversation is gone on with, or one text is answered. Requests and answers of
// the two differ in where the words stand.
enum class Form { chat, generate };

// A request without any words has its model loaded, and there is nothing to load here.
bool asks_for_words(const chat::Request& request);

Result<chat::Request> read_request(Incoming incoming, Form form, json::Parser* parser);

}  // namespace runnel::api::ollama
