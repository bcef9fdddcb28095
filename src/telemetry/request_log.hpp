#pragma once

#include "base/log.hpp"
#include "base/money.hpp"
#include "telemetry/trace_context.hpp"
#include "timeline/usage.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace runnel::telemetry {

// How much is told of texts that others made up.
inline constexpr std::size_t client_text_bytes = 200;  // a path, a model's name
inline constexpr std::size_t detail_bytes = 1000;
inline constexpr std::size_t attempt_detail_bytes = 200;

// Who is asked, in the words of a trace.
struct Peer {
    std::string system;     // what OpenTelemetry calls the provider
    std::string address{};  // empty: it is in this process
    int port = 0;
};

// One target that was asked.
struct AttemptRecord {
    std::string target;  // provider/model
    std::size_t key = 0;
    std::string error{};   // empty: it answered
    std::string detail{};  // for the operator; credentials are masked here
    std::chrono::milliseconds first_token{0};
    std::chrono::milliseconds total{0};
    bool hedge = false;                    // started beside a slow one
    bool left = false;                     // asked, and the client did not wait for its answer
    std::chrono::milliseconds started{0};  // since the request began
    std::shared_ptr<const Peer> peer{};    // where a trace is told; else null
};

// One run of a tool by the gateway.
struct ToolRecord {
    std::string name;
    std::string error{};  // empty: it went well
    std::chrono::microseconds time{0};
    std::chrono::milliseconds started{0};  // since the request began
    std::size_t number = 0;                // in the order in which they were called
};

using runnel::CostLine;

// What is remembered of one client request when it is over: who asked for what, who answered, how
// it went. There is no member for what was said.
struct RequestRecord {
    std::string request_id;
    std::string completion_id{};
    std::string method{};
    std::string path{};
    std::string model_asked{};
    std::string model_served{};
    std::string provider{};
    std::string dialect{};
    std::string_view operation = "chat";  // as traces call it
    bool stream = false;
    int status = 0;              // what the client got; 0: it left before that
    std::string finish{};        // stop, length, tool_calls …; empty: there was none
    std::string error_kind{};    // also for an error after the stream began, whose status is 200
    std::string error_detail{};  // for the operator; credentials are masked here
    std::optional<timeline::Usage> usage{};
    std::chrono::microseconds first_event{0};  // from the request's first byte; 0: nothing came
    std::chrono::microseconds total{0};
    std::uint64_t bytes_out = 0;
    std::uint64_t answer_bytes = 0;  // of what the model wrote
    bool client_closed = false;
    std::vector<std::string> warnings{};
    std::vector<AttemptRecord> attempts{};
    int malformed_frames = 0;     // skipped, in an answer that went on
    std::string rerouted_from{};  // the model asked for, where it can't stream
    std::string continued_by{};   // who went on with an answer that broke off
    std::string continuation{};   // verified, or differs
    std::chrono::sys_time<std::chrono::milliseconds> began{};
    // The same moment by a clock that nobody sets.
    std::chrono::steady_clock::time_point born = std::chrono::steady_clock::now();
    std::string key_id{};
    std::string team{};
    std::string client_address{};
    std::string metadata_json{};  // the request's own
    int rounds = 0;               // of a model that uses tools of the gateway's
    std::vector<ToolRecord> tools{};
    std::string cache{};                    // HIT, MISS, BYPASS; empty: there is none
    std::vector<std::string> guardrails{};  // that found something, as "name: action"
    enum class Provenance { none, reported, estimated } usage_provenance{};
    std::optional<Money> cost{};  // none: not known
    std::vector<CostLine> cost_lines{};
    std::chrono::microseconds longest_gap{0};  // between two events of the answer
    TraceContext trace{};
};

// How long ago the request began.
std::chrono::milliseconds age_of(const RequestRecord& record);

// One line: a warning when it was not the client's fault that it failed, otherwise information.
void log_request(const RequestRecord& record);

// The same line, for tests.
log::Line& describe(const RequestRecord& record, log::Line& line);

}  // namespace runnel::telemetry
