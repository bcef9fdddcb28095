#pragma once

#include "base/limits.hpp"

#include <chrono>
#include <cstddef>

// What protects the store and whoever waits for it.
namespace runnel::storage::limits {

using namespace runnel::limits;  // what they do not say is as everywhere

// A database that is slower, or gone, is an error. A query that runs longer is stopped.
inline constexpr auto statement_time = 10s;
inline constexpr auto connect_time = 5s;
inline constexpr auto answer_grace_time = 2s;  // for the server to say itself that time is over
// Between two attempts to reach a server: doubled from the one up to the other.
inline constexpr auto reconnect_pause_min = 100ms;
inline constexpr auto reconnect_pause_max = 5s;

inline constexpr std::size_t prepared_statements = 128;   // of one connection; then all are let go
inline constexpr std::size_t pipelined_statements = 256;  // sent before the answers are awaited

inline constexpr std::size_t waiting_jobs = 256;  // of one thread
inline constexpr auto waiting_time = 5s;          // then whoever asked has given up, or soon will

// The journal. Requests write to memory, and never wait for the disk.
inline constexpr std::size_t journal_memory_bytes =
    64 * mib;  // some 30,000 rows; then they are lost
inline constexpr std::size_t journal_memory_bytes_min = 16 * mib;
inline constexpr std::size_t journal_memory_file_bytes = 1 * mib;
inline constexpr auto journal_copy_time = 250ms;  // between two copies of what waits to the disk
inline constexpr auto journal_quick_copy_time = 20ms;  // where memory ends with the process
inline constexpr auto left_behind_time = 24h;  // before memory whose journal is gone is removed

// Of ids, names and codes: an index of PostgreSQL's takes 2,700 bytes for all columns together.
inline constexpr std::size_t name_bytes = 256;

inline constexpr std::size_t ids_with_a_prefix = 10'000;  // sorted by time for each page
inline constexpr std::size_t places_at_once = 100'000;    // sorted for one page of a filter
inline constexpr std::size_t forgotten_at_once = 2'000;   // records in one transaction

// Of one conversation: each is looked up by itself.
inline constexpr std::size_t conversation_turns = 1'000;
// Of one that is kept item by item: what a request with all of them may have.
inline constexpr std::size_t conversation_items = messages;
inline constexpr std::size_t conversation_bytes = request_body_bytes;
inline constexpr std::size_t forgotten_conversations = 100;  // in one transaction

}  // namespace runnel::storage::limits
