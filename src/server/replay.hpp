#pragma once

#include "api/dialect.hpp"
#include "base/result.hpp"
#include "timeline/archive.hpp"

#include <string>
#include <string_view>

// Answers whose content was kept (GET /v1/logs/{id}/content), told again.
namespace runnel::server {

// The answer that is in it, with its times, and what its stream said of itself.
struct KeptAnswer {
    api::Envelope envelope;
    timeline::TimedRecording recording;
};
Result<KeptAnswer> read_content(std::string content);

// The frames of its stream in a dialect, all at once.
struct Replayed {
    std::string frames;
    std::string_view content_type;
};
Result<Replayed> replay_content(std::string content, std::string_view dialect);

}  // namespace runnel::server
