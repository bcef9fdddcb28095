#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Every maximum in the program, with its unit in the name and its reason beside it. What a user may
// change has a key in the config; the rest protects the process and is fixed.
namespace runnel::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

// Requests.
inline constexpr std::size_t request_body_bytes =
    32 * mib;  // 10 MB inline images must fit, as base64
inline constexpr std::size_t request_header_bytes = 32 * kib;  // browsers' cookies fit
inline constexpr std::size_t json_depth = 128;
inline constexpr std::size_t json_number_bytes = 64;    // a long one takes microseconds to read
inline constexpr std::size_t request_fields = 256;      // of its top level; OpenAI knows about 40
inline constexpr std::size_t field_name_bytes = 128;    // of one of these
inline constexpr std::size_t request_values = 500'000;  // numbers, strings, lists: some 30 ms
inline constexpr std::size_t schema_values = 20'000;    // of one; OpenAI takes 5,000 properties
inline constexpr std::size_t messages = 10'000;
inline constexpr std::size_t logged_metadata_bytes =
    16 * kib;  // what OpenAI takes; more is for tools, but not for the log
inline constexpr std::size_t tools = 128;
inline constexpr std::size_t tool_name_bytes = 64;
inline constexpr std::size_t request_id_bytes = 128;
inline constexpr std::int64_t tokens_wish = 1'000'000'000;  // no model writes so many
inline constexpr int heal_attempts = 3;  // for one answer that must be certain JSON
inline constexpr int heal_attempts_max = 10;
inline constexpr std::size_t fallback_models = 8;               // that one request may name
inline constexpr std::chrono::milliseconds timeout_wish{5min};  // the longest a request may ask for
inline constexpr auto request_read_time = 30s;                  // a slower sender is a slow loris
inline constexpr std::size_t request_body_rate = kib;           // bytes a second, or it is one too
inline constexpr std::size_t chunk_line_bytes = 1 * kib;        // a size and its extensions
inline constexpr std::size_t pipelined_bytes =
    4 * kib;  // of a next request, while one is answered; then the sender has to wait
inline constexpr std::size_t free_head_bytes =
    4 * kib;  // of a head are part of what a connection costs; more are drawn from the budget
inline constexpr std::size_t trailer_bytes = 8 * kib;  // after a body in chunks; read by nobody
inline constexpr std::size_t model_name_bytes = 256;
inline constexpr std::size_t concurrent_requests = 20'000;  // two descriptors each
inline constexpr std::size_t queued_requests = 1'000;       // beyond them
inline constexpr auto queue_time = 1s;        // a longer wait is better said than hidden
inline constexpr auto keep_alive_time = 75s;  // between requests of one connection

// The process.
inline constexpr std::size_t memory_bytes_min = 64 * mib;    // for requests and answers together
inline constexpr std::size_t memory_step_bytes = 4 * kib;    // that one of them takes at a time
inline constexpr std::size_t unwritten_log_bytes = 8 * mib;  // then lines are dropped and counted
inline constexpr std::size_t spare_descriptors = 64;  // for health checks, admin, store, files

// Upstream answers.
inline constexpr std::size_t frame_bytes = 16 * mib;          // base64 images, encrypted reasoning
inline constexpr std::size_t upstream_body_bytes = 64 * mib;  // a whole answer that is not a stream
inline constexpr std::size_t upstream_values =
    4'000'000;  // of such an answer: 16,000 tokens with 20 logprobs each
inline constexpr std::size_t tree_values = 100'000;  // of JSON as a tree, 100 bytes each
inline constexpr std::size_t held_answer_bytes =
    128 * mib;  // of one answer, in all forms in which it waits: such a body, read, fits
inline constexpr std::size_t upstream_header_bytes = 64 * kib;
inline constexpr std::size_t error_body_bytes =
    64 * kib;  // what is read of an error before giving up
inline constexpr std::size_t tool_arguments_bytes = 1 * mib;  // assembled arguments of one call
inline constexpr std::size_t tool_calls = 1024;               // of one choice; nobody runs so many
inline constexpr std::size_t choices = 128;                   // OpenAI's own bound on n

// One stream.
inline constexpr std::size_t read_bytes = 32 * kib;  // taken from upstream at a time
inline constexpr auto hold_time = 400ms;             // of text that may turn out to lead to a tool
inline constexpr auto ping_time = 15s;            // of silence; below every proxy's idle time-out
inline constexpr auto blocked_client_time = 60s;  // a reader that takes nothing for so long is gone
inline constexpr auto finish_grace_time = 300ms;  // for usage, after the last finish reason

// Text that an agent's stream holds back, not knowing yet whether it is the answer.
inline constexpr std::size_t held_characters = 200;
inline constexpr std::size_t held_call_characters =
    2'000;  // where it may be a call written as text
inline constexpr std::size_t held_round_characters = 256 * kib;  // where whole rounds are wanted

// Upstream time-outs, each with a config key under `timeouts:`.
inline constexpr auto connect_time = 5s;
inline constexpr auto first_token_time = 30s;  // of a stream, while there is somebody else to ask
inline constexpr auto last_first_token_time = 120s;  // reasoning models think before they speak
inline constexpr auto idle_time = 60s;
inline constexpr auto total_time = 600s;        // the official SDKs' own default
inline constexpr auto retry_window_time = 60s;  // of one request; no attempt begins after it
inline constexpr int retries = 2;
inline constexpr int retries_max = 5;  // that anybody may ask for
inline constexpr auto upstream_idle_connection_time =
    55s;  // below the usual 60 s of load balancers
inline constexpr std::size_t upstream_idle_connections = 4096;  // per thread

// Tools that the gateway runs.
inline constexpr int tool_rounds = 8;       // of one answer, where the model says nothing else
inline constexpr int tool_rounds_max = 64;  // that a model may have
inline constexpr std::size_t parallel_tools = 8;            // of one round
inline constexpr std::size_t tool_schema_bytes = 64 * kib;  // sent with every request to a model
inline constexpr std::size_t tool_description_bytes = 16 * kib;
inline constexpr std::size_t tool_list_pages = 64;  // of one server; a cursor that never ends
inline constexpr auto tool_list_time = 600s;        // that a server's list is remembered

// What is kept of an answer so that another target can go on with it.
inline constexpr std::size_t continuation_bytes = 1 * mib;

// Connections whose other end is gone without a word: found out within 75 s, on both sides.
inline constexpr auto tcp_silence_time = 30s;  // before the peer is asked whether it is there
inline constexpr auto tcp_probe_time = 15s;    // between two such questions
inline constexpr int tcp_probes = 3;
inline constexpr auto tcp_unacknowledged_time = 75s;  // of bytes that were sent

// The end of the process.
inline constexpr auto drain_time = 30s;  // for open streams to end when the process is told to
inline constexpr auto hand_over_time = 500ms;  // while new connections go to the next process
inline constexpr auto late_request_time = 1s;  // for requests that were on their way
inline constexpr auto last_words_time = 2s;    // to tell the clients of streams that are cut

// What is kept of requests and answers.
inline constexpr auto cache_time = 3600s;  // of an answer, where nobody says another
inline constexpr auto cache_time_min = 60s;
inline constexpr auto same_answer_time = 30s;  // that others wait for whoever asks for it first
inline constexpr auto cache_time_max = 86'400s;
inline constexpr std::size_t cache_bytes = 256 * mib;
inline constexpr std::size_t answer_copy_bytes = 4 * mib;  // of one answer, for cache and log
inline constexpr std::size_t export_bytes = 32 * mib;      // of one answer of an export
inline constexpr auto log_retention_time = 30 * 24h;
inline constexpr std::int64_t reserved_output_tokens = 4096;
inline constexpr std::size_t journal_bytes = 1024 * mib;      // on disk, while the store is away
inline constexpr std::size_t recorded_batch_rows = 500;       // of one transaction
inline constexpr std::size_t recorded_batch_bytes = 8 * mib;  // or so many bytes
inline constexpr auto recorder_gather_time = 100ms;           // for more rows to join the first
inline constexpr auto recorder_retry_time = 5s;               // at most, to a store that is away
inline constexpr auto recovery_time = 30s;                    // between looks for dead processes
inline constexpr auto lost_rows_log_time = 60s;               // between two lines about them

// Guardrails.
inline constexpr std::size_t guardrail_rules = 60;  // a bit for each in a word of 64, and some
inline constexpr std::size_t guardrail_hold_characters = 64;        // of a stream, for one pattern
inline constexpr std::size_t guardrail_hold_characters_max = 4096;  // that a rule may ask for
inline constexpr std::size_t guardrail_held_bytes = 16 * kib;  // of a match that goes on and on
inline constexpr std::size_t guardrail_pattern_steps = 5'000;  // of one pattern, written out
inline constexpr std::size_t guardrail_all_steps = 200'000;    // of all patterns and words
inline constexpr std::size_t guardrail_words_file_bytes = 4 * mib;
inline constexpr std::chrono::milliseconds guardrail_check_time{2s};

// What is kept of provider state for a tool round trip.
inline constexpr auto continuity_time = 10min;
inline constexpr std::size_t continuity_bytes = 64 * mib;

}  // namespace runnel::limits
