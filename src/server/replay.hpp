#pragma once

#include "dialect/dialect.hpp"
#include "server/logs.hpp"
#include "timeline/archive.hpp"

namespace runnel::server {

// The frames of a stream whose content was kept, in the dialect that the query names (`dialect`),
// all at once.
boost::asio::awaitable<Result<std::string>> replay_log(Queries* store, std::string id,
                                                       std::string query, policy::Caller caller);

// The same for what find_content() answers.
Result<std::string> replay_content(std::string content, std::string_view dialect);

// The answer that is in it, with its times, and what its stream said of itself.
struct KeptAnswer {
    dialect::Envelope envelope;
    timeline::TimedRecording recording;
};
Result<KeptAnswer> read_content(std::string content);

}  // namespace runnel::server
