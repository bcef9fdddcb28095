#include "cli/services.hpp"

#include "base/log.hpp"
#include "policy/redis_address.hpp"
#include "store/append.hpp"
#include "store/retention.hpp"

#include <algorithm>
#include <filesystem>
#include <future>

namespace runnel::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto last_rows_time = 5s;  // for the store to take what the last requests left
constexpr auto house_keeping_time = 10min;
constexpr auto house_keeping_pause = 200ms;  // between two portions of what is old
constexpr auto redis_start_time = 500ms;

// The ledger knows models by the names that requests gave them: their own, their ids, and aliases
// of any of these.
std::vector<std::string> names_of(const config::Config& config, const std::string& model) {
    std::vector<std::string> names{model};
    for (const config::Model& own : config.models)
        if (own.name == model && !own.id.empty()) names.push_back(own.id);
    for (std::size_t i = 0; i < names.size(); ++i)
        for (const auto& [alias, meant] : config.aliases)
            if (meant == names[i] && std::ranges::find(names, alias) == names.end())
                names.push_back(alias);
    return names;
}

}  // namespace

Result<std::unique_ptr<Services>> Services::open(const config::Config& config,
                                                 std::size_t threads) {
    std::unique_ptr<Services> services(new Services);
    services->use(config);
    auto stored = services->open_store(config, &store::open_database);
    if (!stored) {
        const policy::SharedLimits& limits = config.access.limits;
        const bool needed = !limits.team_budgets.empty() || !limits.model_budgets.empty();
        if (needed) return propagate(stored);
        log::Line(log::Level::warning, "the store can't be opened; it is tried again and again")
            .add("detail", stored.error().message)
            .write();
        stored = services->open_store(config, &store::open_database_later);
    }
    // Before the journal: what crashed is settled with it.
    if (auto opened = services->open_meter(config); !opened) return propagate(opened);
    if (stored) stored = services->open_journal(config, threads);
    if (!stored)
        log::Line(log::Level::error, "requests are not recorded: there is no journal for them")
            .add("detail", stored.error().message)
            .write();
    return services;
}

Services::~Services() = default;

void Services::use(const config::Config& config) {
    std::map<std::string, std::vector<std::string>> names;
    for (const auto& [model, budget] : config.access.limits.model_budgets)
        names[model] = names_of(config, model);
    {
        const std::scoped_lock lock(config_mutex_);
        model_names_ = std::move(names);
        retention_ = config.access.logs.retention;
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

std::vector<store::SpendScope> Services::scopes_of(const policy::Holder& holder) {
    using enum policy::Holder::Kind;
    using Kind = store::SpendScope::Kind;
    if (holder.kind == team) return {{Kind::team, holder.name}};
    if (holder.kind != model) return {{Kind::key, holder.name}};
    std::vector<store::SpendScope> scopes;
    const std::scoped_lock lock(config_mutex_);
    const auto names = model_names_.find(holder.name);
    if (names == model_names_.end()) return {{Kind::model, holder.name}};
    for (const std::string& name : names->second) scopes.push_back({Kind::model, name});
    return scopes;
}

policy::AskLedger Services::ledger() {
    return
        [this](const policy::Holder& holder, policy::UtcTime since, policy::LedgerAnswer answer) {
            if (!queries_) return answer(Money{});
            queries_->submit([scopes = scopes_of(holder), since, answer = std::move(answer)](
                                 Result<store::Database*> database) mutable {
                if (!database) return answer(propagate(database));
                Result<Money> sum = Money{};
                for (const store::SpendScope& scope : scopes) {
                    auto spent = store::spent(**database, scope, since);
                    if (!spent) return answer(propagate(spent));
                    sum->nano_usd += spent->nano_usd;
                }
                answer(std::move(sum));
            });
        };
}

Result<void> Services::open_meter(const config::Config& config) {
    sums_.emplace(ledger());
    local_meter_.emplace(&*sums_);
    const policy::SharedSettings& shared = config.access.shared;
    if (shared.redis_url.empty()) return {};
    auto address = policy::read_redis_url(shared.redis_url.reveal());
    if (!address) return propagate(address);
    const bool alone = shared.without_it == policy::SharedSettings::WithoutIt::local_limits;
    redis_meter_.emplace(std::move(*address), alone ? &*local_meter_ : nullptr, &*sums_);
    if (!redis_meter_->client().wait_until_connected(redis_start_time))
        log::Line(log::Level::warning, "Redis can't be reached yet; it is tried again and again")
            .write();
    return {};
}

Result<void> Services::open_journal(const config::Config& config, std::size_t threads) {
    const store::Journal::Options options{
        .folder = {.bytes_max = config.access.logs.journal_bytes}};
    auto journal = store::Journal::open(std::filesystem::path(config.data) / "journal", options);
    if (!journal) return propagate(journal);
    journal_ = std::move(*journal);
    for (std::size_t i = 0; i < threads; ++i) writers_.push_back(journal_->add_writer());
    const auto append = [this](std::span<const store::Record> batch) {
        return store::append(*appending_, batch);
    };
    const auto recovered = [this](const store::Opening& opening, const store::Record& record) {
        settle_crashed(opening.claim_id, record);
    };
    recorder_.emplace(journal_.get(), append, recovered, store::Recorder::Options{});
    return {};
}

// The budget is charged what the ledger says.
void Services::settle_crashed(std::string_view claim_id, const store::Record& record) {
    if (claim_id.empty()) return;
    meter()->settle(claim_id,
                    {policy::Settlement::Reached::provider,
                     record.tokens.input + record.tokens.output, record.cost.value_or(Money{})});
}

policy::Meter* Services::meter() {
    if (redis_meter_) return &*redis_meter_;
    return &*local_meter_;
}

store::RedisClient* Services::redis() { return redis_meter_ ? &redis_meter_->client() : nullptr; }

void Services::keep_house() {
    if (!queries_) return;
    house_keeper_ = std::jthread([this](const std::stop_token& stop) {
        std::unique_lock lock(config_mutex_);
        while (!stop.stop_requested()) {
            const std::chrono::hours retention = retention_;
            lock.unlock();
            const auto oldest = std::chrono::system_clock::now() - retention;
            const auto left = forget_before(std::chrono::floor<std::chrono::milliseconds>(oldest));
            lock.lock();
            const std::chrono::milliseconds pause =
                left == Left::more ? std::chrono::milliseconds(house_keeping_pause)
                                   : std::chrono::milliseconds(house_keeping_time);
            config_changed_.wait_for(lock, stop, pause, [&] { return retention_ != retention; });
        }
    });
}

Services::Left Services::forget_before(policy::UtcTime time) {
    std::promise<Left> left;
    queries_->submit([&left, time](Result<store::Database*> database) {
        if (!database) return left.set_value(Left::nothing);
        const auto forgotten = store::forget_before(**database, time);
        left.set_value(forgotten && forgotten->more ? Left::more : Left::nothing);
    });
    return left.get_future().get();
}

void Services::stop() {
    house_keeper_ = {};
    if (recorder_) recorder_->stop(last_rows_time);
    if (queries_) queries_->stop();
}

}  // namespace runnel::cli
