#pragma once

#include "base/result.hpp"
#include "http/stop.hpp"
#include "tools/limits.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

// A tool as the model is told of it.
struct ToolSpec {
    std::string name;
    std::string description;
    std::string parameters_json;  // a JSON Schema of an object
};

// What came of running it. Failures are results too: the model reads them.
struct ToolOutcome {
    enum class Kind { completed, failed } kind = Kind::completed;
    std::string text{};         // for the model
    std::string result_json{};  // the same as a JSON value, for clients that show it
};

// What a tool may know of the request it is run for.
struct ToolCall {
    std::string name;
    std::string arguments_json;  // a JSON object
    std::string call_id;
    std::string user;           // the client's word for its user, if any
    std::string metadata_json;  // the request's metadata, if any
    std::string traceparent{};  // the run's place in a trace, if it is in one
};

// Where tools come from: one entry under `tools:` in the config. Lives on the tool loop's thread:
// all its coroutines run there.
class ToolSource {
public:
    virtual ~ToolSource() = default;
    // The tools it offers now; remembered for a while. An error says why it can't be asked, in
    // words for whoever wrote the config.
    virtual boost::asio::awaitable<Result<std::vector<ToolSpec>>> list(http::Stop* stop) = 0;
    // Runs one. The result is bounded and comes within the time limit; a stop ends it at once.
    virtual boost::asio::awaitable<ToolOutcome> run(ToolCall call, http::Stop* stop) = 0;
};

}  // namespace runnel::tools
