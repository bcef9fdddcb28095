#pragma once

#include "access/caller.hpp"
#include "chat/operation.hpp"
#include "exchange/gateway.hpp"
#include "http/server/connection.hpp"
#include "metering/claim.hpp"
#include "metering/meter.hpp"
#include "storage/journal/journal.hpp"
#include "telemetry/request_log.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::exchange {

// What one request may use up. It is reserved, and written into the journal,
// before a provider is called; when the request is over, what it did use is put
// in its place and has its price.
class Account {
public:
    // All pointers must outlive the account.
    Account(std::shared_ptr<const Gateway> gateway, metering::Meter* meter,
            storage::JournalWriter* journal, telemetry::RequestRecord* record,
            const access::Caller* caller);
    ~Account();
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;

    // The error is what the client is told. How its limits stand is told in `headers`. Targets
    // whose own limits are used up, or that have no price under a budget, are taken out of the
    // route, as long as another is left.
    boost::asio::awaitable<Result<void>> open(chat::Operation operation, router::Route* route,
                                              http::HeaderList* headers);

    // Another round of the same answer: budgets must have room for it too.
    boost::asio::awaitable<Result<void>> open_round(const router::Route* route);

    // What was used up to now, where nobody has counted so many bytes of what was said.
    timeline::Usage estimate(std::uint64_t uncounted_bytes) const;

    // The request is over, and nobody is paid for it: it was one, to limits on requests.
    void settle_unpaid();

    // The request is over, however it ended: the record gets its usage and its
    // cost.
    void settle();

    // Under which the journal knows it.
    storage::JournalWriter::Ticket ticket() const { return ticket_; }

private:
    // The names that limits of one model, whatever it is called there, are written under.
    using LimitNames = std::vector<std::string_view>;
    // What is reserved for one of those who may answer, beside what is for the request.
    struct TargetClaim {
        std::string id;
        std::string target;
    };

    bool limits_models() const;
    LimitNames limit_names(const std::string& own_name) const;
    LimitNames limit_names(const router::Route& route) const;
    LimitNames limit_names(const router::Target& target) const;
    metering::ClaimFacts facts(const router::Route& route) const;
    metering::Claim make_claim(std::string id, const router::Route& route, const LimitNames& names);
    metering::Claim claim_for(std::string id, const router::Target& target,
                              const LimitNames& already) const;
    Result<void> leave_out_unpriced(const metering::Claim& claim, const LimitNames& names,
                                    router::Route* route) const;
    boost::asio::awaitable<Result<void>> reserve_targets(const LimitNames* already,
                                                         router::Route* route);
    void note_budget_model(const metering::Claim& claim);
    void settle_targets(std::string_view answered_by, const metering::Settlement& settlement);
    const telemetry::AttemptRecord& answering_attempt() const;
    boost::asio::awaitable<metering::Verdict> reserve(const metering::Claim* claim);
    void enter_in_journal(const router::Route& route);
    std::optional<metering::Price> price_of(std::string_view target) const;
    void estimate_usage();
    void price_usage();

    std::shared_ptr<const Gateway> gateway_;
    metering::Meter* meter_;           // null: nothing is limited
    storage::JournalWriter* journal_;  // null: nothing is written down
    telemetry::RequestRecord* record_;
    const access::Caller* caller_;
    std::string_view endpoint_;
    std::int64_t input_tokens_ = 0;   // estimated
    std::int64_t output_tokens_ = 0;  // at most
    std::optional<Money> reserved_;
    std::string claim_id_;                // empty: nothing is reserved
    std::string budget_model_;            // that has a budget with a share in it; empty: none
    std::vector<std::string> round_ids_;  // of what is reserved for more rounds
    std::vector<TargetClaim> targets_;
    bool priced_ = false;
    storage::JournalWriter::Ticket ticket_;
};

}  // namespace runnel::exchange
