#pragma once

#include "base/error.hpp"
#include "base/money.hpp"
#include "base/result.hpp"
#include "metering/claim.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace runnel::metering {

// How the tightest limit on requests stands, for X-RateLimit-Limit, -Remaining and -Reset.
struct RateState {
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    std::chrono::milliseconds resets_in{0};

    friend bool operator==(const RateState&, const RateState&) = default;
};

struct Verdict {
    std::optional<Error> refusal{};   // none: the claim is held, and is to be settled
    std::optional<RateState> rate{};  // none: requests are not limited
};

// What a claim's request did in the end.
struct Settlement {
    // A request that no provider saw counts nothing.
    enum class Reached { nobody, provider } reached = Reached::nobody;
    std::int64_t tokens = 0;  // in and out, cached ones too
    Money cost{};
};

// How a hold's counter stands while nobody asks for more.
struct Standing {
    std::int64_t used = 0;      // with what is reserved
    std::int64_t reserved = 0;  // by claims that are not settled
};

// Counts what is limited. Asked twice per request, never per chunk; shared by all threads.
//
// A claim is let in as long as none of its counters is full, where what is reserved counts as used.
// Money is stricter: while other requests are under way on the same budget, what the claim may cost
// must fit into what is left; a request that is alone may go if anything is left, or the end of a
// budget could never be spent. So a budget is overdrawn by one request at most.
//
// A claim that nobody settles, because its machine is gone, goes on counting with what it reserved
// until its period ends; only its places come back, after a while.
class Meter {
public:
    Meter() = default;
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;
    virtual ~Meter() = default;

    // Called once, before reserve() returns or later, on any thread.
    using Answer = std::move_only_function<void(Verdict)>;

    // Takes all that the claim asks for, or nothing.
    virtual void reserve(const Claim& claim, Answer answer) = 0;

    // How the tightest of the claim's limits on requests stands, as far as it is known here and
    // now: nobody is asked, so it may be a little old. None: requests are not limited.
    virtual std::optional<RateState> glance(const Claim& claim) const = 0;

    // How the claim's counters stand, one for each hold; nothing is taken. An error when nobody can
    // say. Called as the answer of reserve() is.
    using Looked = std::move_only_function<void(Result<std::vector<Standing>>)>;
    virtual void look(const Claim& claim, Looked answer) = 0;

    // Puts what was used in the place of what was reserved, and gives places back. Once per claim
    // that was let in; what is said again, or of a claim that nobody knows, changes nothing.
    virtual void settle(std::string_view claim_id, const Settlement& settlement) = 0;
};

}  // namespace runnel::metering
