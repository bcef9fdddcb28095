#include "storage/sql/postgres_link.hpp"

#include "storage/limits.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <deque>
#include <utility>

#include <poll.h>

namespace runnel::storage {
namespace {

std::string without_line_break(std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    return std::string(text);
}

Error unavailable(std::string message, std::string_view detail) {
    return {ErrorKind::store_unavailable,
            std::move(message),
            {},
            fmt::format("PostgreSQL: {}", without_line_break(detail))};
}

// What the server said, by the class of its code: 22, 23 and 54 are about the values, all else is
// about the server.
Error error_of(const PGresult* result) {
    const char* field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string_view code = field == nullptr ? "" : field;
    const std::string_view kind = code.substr(0, 2);
    const char* detail = PQresultErrorMessage(result);
    if (kind == "22" || kind == "23" || kind == "54") {
        Error error = unavailable("The store refuses this value.", detail);
        error.kind = ErrorKind::invalid_value;
        return error;
    }
    if (code == "57014") return unavailable("The store took too long to answer.", detail);
    return unavailable(fmt::format("The store can't be used (PostgreSQL's error {}).", code),
                       detail);
}

void ignore_notice(void*, const char*) {}

void add_rows(const PGresult* result, Rows& rows) {
    const int columns = PQnfields(result);
    rows.set_columns(static_cast<std::size_t>(columns));
    for (int row = 0; row < PQntuples(result); ++row) {
        for (int column = 0; column < columns; ++column) {
            if (PQgetisnull(result, row, column) != 0)
                rows.add(std::nullopt);
            else
                rows.add(std::string(PQgetvalue(result, row, column),
                                     static_cast<std::size_t>(PQgetlength(result, row, column))));
        }
    }
}

// Parameters as libpq wants them. Text goes as binary: that is its bytes, with their number.
class Arguments {
public:
    Arguments(std::span<const Parameter> parameters, StorableText& mended) {
        for (const Parameter& parameter : parameters) {
            if (const auto* text = std::get_if<std::string_view>(&parameter)) {
                const std::string_view kept = mended.of(*text);
                add(kept.empty() ? "" : kept.data(), static_cast<int>(kept.size()), 1);
            } else if (const auto* number = std::get_if<std::int64_t>(&parameter)) {
                add_digits(*number);
            } else if (const auto* real = std::get_if<double>(&parameter)) {
                add_digits(*real);
            } else {
                add(nullptr, 0, 0);
            }
        }
    }
    int count() const { return static_cast<int>(values_.size()); }
    const char* const* values() const { return values_.data(); }
    const int* lengths() const { return lengths_.data(); }
    const int* formats() const { return formats_.data(); }

private:
    void add(const char* value, int length, int format) {
        values_.push_back(value);
        lengths_.push_back(length);
        formats_.push_back(format);
    }
    void add_digits(auto number) {
        std::string& digits = digits_.emplace_back(32, '\0');  // and it ends with a zero
        std::to_chars(digits.data(), digits.data() + digits.size() - 1, number);
        add(digits.data(), 0, 0);
    }

    std::vector<const char*> values_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
    std::deque<std::string> digits_;
};

}  // namespace

Result<void> check_postgres_url(const Secret& url) {
    char* why = nullptr;
    PQconninfoOption* options = PQconninfoParse(url.reveal().c_str(), &why);
    const bool understood = options != nullptr;
    PQconninfoFree(options);
    PQfreemem(why);  // not shown: it may quote the password
    if (understood && !url.empty()) return {};
    return fail(ErrorKind::invalid_value,
                "The store's URL can't be read: write postgres://user:password@host:5432/database, "
                "with %40 for an @ in the password.");
}

void PostgresLink::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }
void PostgresLink::Clear::operator()(pg_result* result) const { PQclear(result); }

Result<std::unique_ptr<PostgresLink>>
PostgresLink::connect(const Secret& url, std::chrono::milliseconds statement_time) {
    const std::string silence_ms =
        fmt::to_string(std::chrono::milliseconds(limits::statement_time).count());
    // What the URL says comes last, and so it holds.
    const char* const names[] = {"fallback_application_name", "client_encoding", "tcp_user_timeout",
                                 "dbname", nullptr};
    const char* const values[] = {"runnel", "UTF8", silence_ms.c_str(), url.reveal().c_str(),
                                  nullptr};
    std::unique_ptr<PostgresLink> link(
        new PostgresLink(PQconnectStartParams(names, values, 1), statement_time));
    if (auto open = link->finish_connecting(); !open) return propagate(open);
    if (auto ready = link->set_up(); !ready) return propagate(ready);
    return link;
}

Result<void> PostgresLink::finish_connecting() {
    PGconn* connection = connection_.get();
    const auto unreachable = [&] {
        return fail(unavailable("The store can't be reached.", PQerrorMessage(connection)));
    };
    if (PQstatus(connection) == CONNECTION_BAD) return unreachable();
    PQsetNoticeProcessor(connection, &ignore_notice, nullptr);
    const Deadline deadline = std::chrono::steady_clock::now() + limits::connect_time;
    for (auto wanted = PGRES_POLLING_WRITING; wanted != PGRES_POLLING_OK;
         wanted = PQconnectPoll(connection)) {
        if (wanted == PGRES_POLLING_FAILED) return unreachable();
        const short events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (auto ready = wait(events, deadline); !ready) return propagate(ready);
    }
    return {};
}

Result<void> PostgresLink::set_up() {
    if (PQsetnonblocking(connection_.get(), 1) != 0) return lost();
    // As statements rather than as options of the connection, which poolers refuse.
    const std::string time = fmt::to_string(statement_time_.count());
    const Parameter parameters[] = {std::string_view(time)};
    auto done = run("SELECT set_config('statement_timeout', $1, false), "
                    "set_config('idle_in_transaction_session_timeout', $1, false)",
                    parameters);
    if (!done) return propagate(done);
    return {};
}

PostgresLink::Deadline PostgresLink::deadline() const {
    return std::chrono::steady_clock::now() + statement_time_ + limits::answer_grace_time;
}

bool PostgresLink::alive() {
    if (!usable_ || PQstatus(connection_.get()) != CONNECTION_OK) return false;
    // Nobody has asked for anything: what can be read is a farewell, or a notice.
    pollfd descriptor{PQsocket(connection_.get()), POLLIN, 0};
    while (::poll(&descriptor, 1, 0) > 0) {
        if (PQconsumeInput(connection_.get()) == 0) return usable_ = false;
    }
    return true;
}

bool PostgresLink::in_failed_transaction() const {
    return PQtransactionStatus(connection_.get()) == PQTRANS_INERROR;
}

Result<Rows> PostgresLink::run(std::string_view statement, std::span<const Parameter> parameters) {
    auto name = prepare(statement);
    if (!name) return propagate(name);
    if (!send(*name, parameters)) return lost();
    Rows rows;
    if (auto done = read_answers(&rows); !done) return propagate(done);
    return rows;
}

Result<Rows> PostgresLink::run_each(std::string_view statement, std::size_t width,
                                    std::span<const Parameter> parameters) {
    auto name = prepare(statement);
    if (!name) return propagate(name);
    if (PQenterPipelineMode(connection_.get()) == 0) return lost();
    Rows rows;
    while (!parameters.empty()) {
        const std::size_t count = std::min(parameters.size(), width * limits::pipelined_statements);
        if (auto done = run_chunk(*name, width, parameters.first(count), rows); !done) {
            (void)PQexitPipelineMode(connection_.get());
            return propagate(done);
        }
        parameters = parameters.subspan(count);
    }
    if (PQexitPipelineMode(connection_.get()) == 0) return lost();
    return rows;
}

Result<void> PostgresLink::run_chunk(const std::string& name, std::size_t width,
                                     std::span<const Parameter> parameters, Rows& rows) {
    for (; !parameters.empty(); parameters = parameters.subspan(width)) {
        if (!send(name, parameters.first(width))) return lost();
    }
    if (PQpipelineSync(connection_.get()) == 0) return lost();
    const Deadline deadline = this->deadline();
    if (auto sent = flush(deadline); !sent) return propagate(sent);
    Result<void> outcome;
    while (true) {
        auto answer = next_answer(deadline);
        if (!answer) return propagate(answer);
        switch (PQresultStatus(answer->get())) {
            case PGRES_PIPELINE_SYNC: return outcome;
            case PGRES_TUPLES_OK: add_rows(answer->get(), rows); break;
            case PGRES_FATAL_ERROR:
                // No answer at all is the end of one statement's answers.
                if (*answer && outcome) outcome = fail(error_of(answer->get()));
                break;
            default: break;
        }
    }
}

Result<std::string> PostgresLink::prepare(std::string_view statement) {
    const std::string text(statement);
    if (const auto known = prepared_.find(text); known != prepared_.end()) return known->second;
    if (prepared_.size() >= limits::prepared_statements) {
        prepared_.clear();
        if (PQsendQuery(connection_.get(), "DEALLOCATE ALL") == 0) return lost();
        if (auto done = read_answers(nullptr); !done) return propagate(done);
    }
    std::string name = fmt::format("s{}", ++statements_);
    if (PQsendPrepare(connection_.get(), name.c_str(), text.c_str(), 0, nullptr) == 0)
        return lost();
    if (auto done = read_answers(nullptr); !done) return propagate(done);
    prepared_.emplace(text, name);
    return name;
}

bool PostgresLink::send(const std::string& name, std::span<const Parameter> parameters) {
    const Arguments arguments(parameters, mended_);
    const int sent =
        PQsendQueryPrepared(connection_.get(), name.c_str(), arguments.count(), arguments.values(),
                            arguments.lengths(), arguments.formats(), 0);
    mended_.clear();
    return sent == 1;
}

Result<void> PostgresLink::read_answers(Rows* rows) {
    const Deadline deadline = this->deadline();
    if (auto sent = flush(deadline); !sent) return propagate(sent);
    Result<void> outcome;
    while (true) {
        auto answer = next_answer(deadline);
        if (!answer) return propagate(answer);
        if (!*answer) break;
        switch (PQresultStatus(answer->get())) {
            case PGRES_TUPLES_OK:
                if (rows != nullptr) add_rows(answer->get(), *rows);
                break;
            case PGRES_FATAL_ERROR:
                if (outcome) outcome = fail(error_of(answer->get()));
                break;
            default: break;
        }
    }
    if (PQstatus(connection_.get()) != CONNECTION_OK) return lost();
    return outcome;
}

Result<void> PostgresLink::flush(Deadline deadline) {
    while (true) {
        const int left = PQflush(connection_.get());
        if (left == 0) return {};
        if (left < 0) return lost();
        // The server may be unable to take more before its answers are taken.
        if (auto ready = wait_and_read(POLLIN | POLLOUT, deadline); !ready) return ready;
    }
}

Result<PostgresLink::Answer> PostgresLink::next_answer(Deadline deadline) {
    while (PQisBusy(connection_.get()) != 0) {
        if (auto ready = wait_and_read(POLLIN, deadline); !ready) return propagate(ready);
    }
    Answer answer(PQgetResult(connection_.get()));
    if (!answer && PQstatus(connection_.get()) != CONNECTION_OK) return lost();
    return answer;
}

Result<void> PostgresLink::wait(short events, Deadline deadline) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd descriptor{PQsocket(connection_.get()), events, 0};
    const int ready =
        left.count() <= 0 ? 0 : ::poll(&descriptor, 1, static_cast<int>(left.count()));
    if (ready == 0) {
        usable_ = false;
        return fail(
            unavailable("The store took too long to answer.", "the connection is given up"));
    }
    if (ready < 0 && errno != EINTR) return lost();
    return {};
}

Result<void> PostgresLink::wait_and_read(short events, Deadline deadline) {
    if (auto ready = wait(events, deadline); !ready) return ready;
    // Without anything to read this does nothing.
    if (PQconsumeInput(connection_.get()) == 0) return lost();
    return {};
}

std::unexpected<Error> PostgresLink::lost() {
    usable_ = false;
    return fail(unavailable("The store's connection was lost.", PQerrorMessage(connection_.get())));
}

}  // namespace runnel::storage
