#include "storage/sql/postgres.hpp"

#include "base/log.hpp"
#include "base/redact.hpp"
#include "storage/sql/migrations.hpp"
#include "storage/sql/postgres_link.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace runnel::storage {
namespace {

class PostgresDatabase final : public Database {
public:
    PostgresDatabase(Secret url, std::chrono::milliseconds statement_time)
        : url_(std::move(url)),
          statement_time_(statement_time) {}

    Kind kind() const override { return Kind::postgres; }

    using Database::run;
    Result<Rows> run(std::string_view statement, std::span<const Parameter> parameters) override {
        if (auto ready = be_connected(); !ready) return propagate(ready);
        return link_->run(statement, parameters);
    }

    Result<Rows> run_each(std::string_view statement, std::size_t width,
                          std::span<const Parameter> parameters) override {
        if (auto ready = be_connected(); !ready) return propagate(ready);
        return link_->run_each(statement, width, parameters);
    }

    Result<void> wipe_deleted() override { return {}; }

protected:
    Result<void> begin() override {
        auto begun = run("BEGIN");
        if (!begun) return propagate(begun);
        in_transaction_ = true;
        return {};
    }

    Result<void> commit() override {
        // The server would answer a COMMIT with a rollback, and call that a success.
        if (link_->in_failed_transaction())
            return fail(ErrorKind::internal_error, "A statement of the transaction had failed.");
        auto done = run("COMMIT");
        if (!done) return propagate(done);
        in_transaction_ = false;
        return {};
    }

    void roll_back() override {
        if (link_->alive() && !run("ROLLBACK")) link_.reset();
        in_transaction_ = false;
    }

private:
    using Clock = std::chrono::steady_clock;

    Result<void> be_connected() {
        if (link_ && link_->alive()) return {};
        // The first half of what is being done went with the old connection.
        if (in_transaction_ || connecting_)
            return fail(ErrorKind::store_unavailable, "The store's connection was lost.");
        if (Clock::now() < next_attempt_) return fail(why_not_);
        if (link_) log::Line(log::Level::warning, "store_connection_lost").write();
        link_.reset();
        connecting_ = true;
        auto connected = connect();
        connecting_ = false;
        if (connected) {
            pause_ = limits::reconnect_pause_min;
            return {};
        }
        link_.reset();
        why_not_ = std::move(connected.error());
        log::Line(log::Level::warning, "store_unreachable")
            .add("reason", why_not_.message)
            .add("detail", redacted(why_not_.detail))
            .add("again_in_ms", std::chrono::duration_cast<std::chrono::microseconds>(pause_))
            .write();
        next_attempt_ = Clock::now() + pause_;
        pause_ = std::min<Clock::duration>(pause_ * 2, limits::reconnect_pause_max);
        return fail(why_not_);
    }

    Result<void> connect() {
        auto link = PostgresLink::connect(url_, statement_time_);
        if (!link) return propagate(link);
        link_ = std::move(*link);
        if (migrated_) return {};
        auto done = migrate(*this);
        migrated_ = done.has_value();
        return done;
    }

    Secret url_;
    std::chrono::milliseconds statement_time_;
    std::unique_ptr<PostgresLink> link_;
    bool in_transaction_ = false;
    bool connecting_ = false;
    bool migrated_ = false;
    Clock::duration pause_ = limits::reconnect_pause_min;
    Clock::time_point next_attempt_{};
    Error why_not_;
};

}  // namespace

Result<std::unique_ptr<Database>> open_postgres(const Secret& url,
                                                std::chrono::milliseconds statement_time) {
    if (auto checked = check_postgres_url(url); !checked) return propagate(checked);
    return std::make_unique<PostgresDatabase>(url, statement_time);
}

}  // namespace runnel::storage
