#include "app/services.hpp"

#include "base/log.hpp"
#include "base/redis_address.hpp"
#include "storage/limits.hpp"
#include "storage/records/append.hpp"
#include "storage/records/conversations.hpp"
#include "storage/records/responses.hpp"
#include "storage/records/retention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>

namespace runnel::app {
namespace {

using namespace std::chrono_literals;

constexpr auto last_rows_time = 5s;  // for the store to take what the last requests left
constexpr auto house_keeping_time = 10min;
constexpr auto house_keeping_pause = 200ms;  // between two portions of what is old
constexpr auto redis_start_time = 500ms;

// The ledger knows models by the names that requests gave them: their own, their ids, other ways to
// write provider/model, and aliases of any of these.
std::vector<std::string> names_of(const config::Config& config, const std::string& model) {
    std::vector<std::string> names{model};
    for (const config::Model& own : config.models)
        if (own.name == model && !own.id.empty()) names.push_back(own.id);
    if (const std::size_t slash = model.find('/'); slash != std::string::npos) {
        names.push_back('@' + model);
        names.push_back(model.substr(slash + 1));
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        for (const auto& [alias, meant] : config.aliases)
            if (meant == names[i] && std::ranges::find(names, alias) == names.end())
                names.push_back(alias);
    return names;
}

Error no_ledger(const config::Config& config, const Error& why) {
    return {why.kind,
            fmt::format("There are budgets, which need the ledger in {}, but it can't be written: "
                        "{} Make room on that disk, or let this user write there; `data` in the "
                        "config says where it is.",
                        config.data, why.message),
            {},
            why.detail};
}

}  // namespace

Result<std::unique_ptr<Services>> Services::open(const config::Config& config, std::size_t threads,
                                                 KeyBudgets key_budgets) {
    std::unique_ptr<Services> services(new Services);
    services->use(config);
    auto stored = services->open_store(config, &storage::open_database);
    const bool is_here = config.access.store.kind == storage::StoreSettings::Kind::sqlite;
    // A server that is away comes back, and refuses whoever has a budget until then.
    if (stored && is_here) stored = services->check_store();
    if (!stored) {
        const metering::SharedLimits& limits = config.access.limits;
        const bool has_budgets = key_budgets == KeyBudgets::some || !limits.team_budgets.empty() ||
                                 !limits.model_budgets.empty();
        if (has_budgets) return fail(no_ledger(config, stored.error()));
        log::Line(log::Level::warning, "the store can't be opened; it is tried again and again")
            .add("detail", stored.error().message)
            .write();
        stored = services->open_store(config, &storage::open_database_later);
        if (!stored) return propagate(stored);
    }
    services->open_journal(config, threads);
    // Before anything is recorded: what crashed is settled with it.
    if (auto opened = services->open_meter(config); !opened) return propagate(opened);
    services->begin_recording();
    return services;
}

Services::~Services() {
    if (journal_) journal_->elsewhere()->on_stored({});
}

void Services::use(const config::Config& config) {
    std::map<std::string, std::vector<std::string>> names;
    for (const auto& [model, budget] : config.access.limits.model_budgets)
        names[model] = names_of(config, model);
    {
        const std::scoped_lock lock(config_mutex_);
        model_names_ = std::move(names);
        retention_ = {config.access.logs.retention, config.access.responses.retention};
    }
    config_changed_.notify_all();
}

// Whoever must not wait for others has a connection of his own.
Result<void> Services::open_store(const config::Config& config, OpenDatabase* open) {
    const auto database = [&] { return open(config.access.store, config.data); };
    auto appending = database();
    if (!appending) return propagate(appending);
    appending_ = std::move(*appending);
    auto queries = database();
    if (!queries) return propagate(queries);
    queries_.emplace(std::move(*queries));
    return {};
}

storage::SpendScope Services::scope_of(const metering::Holder& holder) {
    using enum metering::Holder::Kind;
    using Kind = storage::SpendScope::Kind;
    if (holder.kind == team) return {Kind::team, holder.name};
    if (holder.kind != model) return {Kind::key, holder.name};
    const std::scoped_lock lock(config_mutex_);
    const auto names = model_names_.find(holder.name);
    if (names == model_names_.end()) return {Kind::model, holder.name};
    return {Kind::model, holder.name, names->second};
}

metering::AskLedger Services::ledger() {
    return [this](const metering::Holder& holder, access::UtcTime since,
                  metering::LedgerAnswer answer) {
        queries_->submit([this, scope = scope_of(holder), since,
                          answer = std::move(answer)](Result<storage::Database*> database) mutable {
            if (!database) return answer(propagate(database));
            metering::LedgerSum sum(Money{}, recorder_->stored_until());
            auto spent = storage::spent(**database, scope, since);
            if (!spent) return answer(propagate(spent));
            sum.spent = *spent;
            answer(sum);
        });
    };
}

Result<void> Services::open_meter(const config::Config& config) {
    sums_.emplace(ledger());
    storage::OpenElsewhere* const elsewhere = journal_->elsewhere();
    local_meter_.emplace(&*sums_, &std::chrono::steady_clock::now,
                         [elsewhere](const metering::Hold& hold, auto asked) {
                             return elsewhere->reserved(hold, asked);
                         });
    const storage::SharedSettings& shared = config.access.shared;
    if (shared.redis_url.empty()) return {};
    auto address = read_redis_url(shared.redis_url.reveal());
    if (!address) return propagate(address);
    const bool alone = shared.without_it == storage::SharedSettings::WithoutIt::local_limits;
    redis_meter_.emplace(std::move(*address), alone ? &*local_meter_ : nullptr, &*sums_);
    if (!redis_meter_->client().wait_until_connected(redis_start_time))
        log::Line(log::Level::warning, "Redis can't be reached yet; it is tried again and again")
            .write();
    return {};
}

void Services::open_journal(const config::Config& config, std::size_t threads) {
    const std::filesystem::path folder = std::filesystem::path(config.data) / "journal";
    journal_ = storage::Journal::open(folder, {.disk_bytes_max = config.access.logs.journal_bytes});
    for (std::size_t i = 0; i < threads; ++i) writers_.push_back(journal_->add_writer());
    // Before the first request: what others have reserved counts from the beginning.
    journal_->elsewhere()->look();
}

Result<void> Services::check_store() {
    auto written = appending_->run("UPDATE counters SET value = value WHERE name = 'ledger_seq'");
    if (!written) return propagate(written);
    return {};
}

void Services::begin_recording() {
    const auto append = [this](std::span<const storage::Record> batch) {
        return storage::append(*appending_, batch);
    };
    const auto recovered = [this](const storage::Opening& opening, const storage::Record& record) {
        settle_crashed(opening.claim_id, record);
    };
    storage::Recorder::Options options;
    options.check = [this] { return check_store(); };
    recorder_.emplace(journal_.get(), append, recovered, std::move(options));
    // Where all is counted in Redis, nobody asks what others here have reserved.
    journal_->elsewhere()->on_stored([this] {
        if (!redis_meter_ || !redis_meter_->figures().connected)
            sums_->doubt(metering::LedgerSums::OldOnes::will_do);
    });
}

// The budget is charged what the ledger says.
void Services::settle_crashed(std::string_view claim_id, const storage::Record& record) {
    if (claim_id.empty()) return;
    meter()->settle(claim_id,
                    {metering::Settlement::Reached::provider,
                     record.tokens.input + record.tokens.output, record.cost.value_or(Money{})});
}

metering::Meter* Services::meter() {
    if (redis_meter_) return &*redis_meter_;
    return &*local_meter_;
}

storage::RedisClient* Services::redis() { return redis_meter_ ? &redis_meter_->client() : nullptr; }

void Services::keep_house() {
    if (!queries_) return;
    house_keeper_ = std::jthread([this](const std::stop_token& stop) {
        std::unique_lock lock(config_mutex_);
        while (!stop.stop_requested()) {
            const Retention retention = retention_;
            lock.unlock();
            const auto left = forget_older_than(retention);
            lock.lock();
            const std::chrono::milliseconds pause =
                left == Left::more ? std::chrono::milliseconds(house_keeping_pause)
                                   : std::chrono::milliseconds(house_keeping_time);
            config_changed_.wait_for(lock, stop, pause, [&] { return retention_ != retention; });
        }
    });
}

Services::Left Services::forget_older_than(const Retention& retention) {
    const auto now =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    std::promise<Left> left;
    queries_->submit([&left, &retention, now](Result<storage::Database*> database) {
        if (!database) return left.set_value(Left::nothing);
        const auto records = storage::forget_before(**database, now - retention.records);
        const auto responses =
            storage::delete_responses_before(**database, now - retention.responses);
        const auto conversations =
            storage::delete_conversations_before(**database, now - retention.responses);
        const bool more =
            (records && records->more) ||
            (responses && *responses == storage::limits::forgotten_at_once) ||
            (conversations && *conversations == storage::limits::forgotten_conversations);
        left.set_value(more ? Left::more : Left::nothing);
    });
    return left.get_future().get();
}

void Services::stop() {
    house_keeper_ = {};
    journal_->elsewhere()->on_stored({});
    recorder_->stop(last_rows_time);
    if (queries_) queries_->stop();
}

}  // namespace runnel::app
