#pragma once

#include "base/secret.hpp"
#include "storage/sql/sql.hpp"
#include "storage/sql/storable_text.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

struct pg_conn;
struct pg_result;

namespace runnel::storage {

// Fails, without showing it, where the text is not a URL that libpq understands.
Result<void> check_postgres_url(const Secret& url);

// One connection to PostgreSQL. Nothing here waits longer than its time: a server that stopped
// answering, or a network that swallows packets, is an error, and the link is then of no use.
class PostgresLink {
public:
    static Result<std::unique_ptr<PostgresLink>> connect(const Secret& url,
                                                         std::chrono::milliseconds statement_time);

    // False when the server has closed it meanwhile, or something has gone wrong with it.
    bool alive();
    // A statement failed, and only a rollback can follow.
    bool in_failed_transaction() const;

    Result<Rows> run(std::string_view statement, std::span<const Parameter> parameters);
    // In pipeline mode.
    Result<Rows> run_each(std::string_view statement, std::size_t width,
                          std::span<const Parameter> parameters);

private:
    struct Finish {
        void operator()(pg_conn* connection) const;
    };
    struct Clear {
        void operator()(pg_result* result) const;
    };
    using Answer = std::unique_ptr<pg_result, Clear>;
    using Deadline = std::chrono::steady_clock::time_point;

    PostgresLink(pg_conn* connection, std::chrono::milliseconds statement_time)
        : connection_(connection),
          statement_time_(statement_time) {}

    Result<void> finish_connecting();
    Result<void> set_up();
    // A little later than the server gives up.
    Deadline deadline() const;
    // The name under which the server knows it.
    Result<std::string> prepare(std::string_view statement);
    bool send(const std::string& name, std::span<const Parameter> parameters);
    Result<void> flush(Deadline deadline);
    // The next one; null: that was all of this statement's.
    Result<Answer> next_answer(Deadline deadline);
    // Until all there is to one statement has been read.
    Result<void> read_answers(Rows* rows);
    Result<void> run_chunk(const std::string& name, std::size_t width,
                           std::span<const Parameter> parameters, Rows& rows);
    Result<void> wait(short events, Deadline deadline);
    Result<void> wait_and_read(short events, Deadline deadline);
    std::unexpected<Error> lost();

    std::unique_ptr<pg_conn, Finish> connection_;
    std::chrono::milliseconds statement_time_;
    std::unordered_map<std::string, std::string> prepared_;  // text, name
    std::uint64_t statements_ = 0;
    StorableText mended_;
    bool usable_ = true;
};

}  // namespace runnel::storage
