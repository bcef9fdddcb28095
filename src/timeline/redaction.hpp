#pragma once

#include "timeline/archive.hpp"

namespace runnel::timeline {

// The same timeline with what looks like a credential masked (base/redact.hpp), also where it came
// in pieces: for logs that keep what was said.
TimedRecording without_credentials(const TimedRecording& recording);

}  // namespace runnel::timeline
