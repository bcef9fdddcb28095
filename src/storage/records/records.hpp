#pragma once

#include "access/key.hpp"
#include "base/money.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What is kept of a request, as plain values.
namespace runnel::storage {

struct Tokens {
    std::int64_t input = 0;      // all that was read
    std::int64_t cached = 0;     // the part of it that came from a cache
    std::int64_t output = 0;     // all that was written
    std::int64_t reasoning = 0;  // the part of it that is reasoning

    Tokens& operator+=(const Tokens& other) {
        input += other.input;
        cached += other.cached;
        output += other.output;
        reasoning += other.reasoning;
        return *this;
    }
    friend bool operator==(const Tokens&, const Tokens&) = default;
};

// How the id of an entry begins that has no completion to be named after. No completion's id has a
// colon in it, whatever prefix the config gives them.
inline constexpr std::string_view own_id_prefix = "log:";

// A request that is over. The members up to `lines_json` are the ledger: they stay. The rest goes
// when its time is over or its owner says so.
struct Record {
    std::string entry_id;    // the completion id; where there is none, another that is as unique
    std::string request_id;  // clients may use theirs twice
    access::UtcTime time{};  // when it began
    std::string key_id{};
    std::string team{};
    std::string model_asked{};
    std::string model_served{};
    std::string provider{};
    int status = 0;
    std::string error{};   // its code; empty: it went well
    std::string finish{};  // empty: there was none
    bool stream = false;
    Tokens tokens{};
    std::optional<Money> cost{};    // none: not known
    std::string lines_json = "[]";  // what it cost, line by line

    std::string details_json{};   // the rest of what there is to know, as an object
    std::string timeline_json{};  // what was said; empty: it is not kept
};

// All there is to know of it: what GET /v1/logs/{id} answers. What providers said when they failed
// names the operator's addresses: only the admin reads that.
enum class Reader { owner, admin };
std::string record_json(const Record& record, Reader reader);

}  // namespace runnel::storage
