#pragma once

#include "json/writer.hpp"

#include <string_view>

namespace runnel::api {

// A call's arguments as a JSON object on one line, for clients that take nothing else. What a model
// wrote may be anything: what is no object is told as text, in {"_raw":…}.
void write_arguments_object(json::Writer& writer, std::string_view arguments_escaped);

}  // namespace runnel::api
