#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/writer.hpp"

#include <string>

namespace runnel::provider::gemini {

// Writes what is seen, heard or read into the part being written: its bytes where the client sent
// them, else where they are found. `param` names the part in errors.
Result<void> write_media(json::Writer& writer, const chat::Part& part, const std::string& param);

}  // namespace runnel::provider::gemini
