#pragma once

#include "timeline/archive.hpp"

#include <string>

namespace runnel::timeline {

// The same timeline with what looks like a credential masked (base/redact.hpp), also where it came
// in pieces: for logs that keep what was said.
TimedRecording without_credentials(const TimedRecording& recording);

// The same for an archive; nothing where the text is none.
std::string archive_without_credentials(std::string text);

}  // namespace runnel::timeline
