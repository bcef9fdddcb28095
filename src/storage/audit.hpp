#pragma once

#include "access/key.hpp"
#include "storage/sql/sql.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Who changed what about the gateway, and from where. Entries are added in the transaction of the
// change itself, and are never changed or deleted.
namespace runnel::storage {

// Whoever makes a change.
struct Actor {
    std::string name;     // how they showed that they may: token, console, socket, command line
    std::string address;  // where they are: an IP address, or a user of this machine
};

struct AuditEntry {
    std::int64_t id = 0;  // the store gives it
    access::UtcTime at{};
    Actor by{};
    std::string action{};   // key.create, config.reload
    std::string subject{};  // what it was done to: a key's id; empty where that is the gateway
    std::string changes_json = "{}";
};

Result<void> add_audit_entry(Database& database, const AuditEntry& entry);

// What was done to a key, told from what it was and what it is; one of them may be null.
AuditEntry key_entry(const access::Key* before, const access::Key* after, const Actor& by,
                     access::UtcTime at);

struct AuditFilter {
    std::optional<std::string> action{};
    std::optional<std::string> subject{};
    std::optional<std::int64_t> before{};  // an entry's id: only older ones
    std::size_t limit = 20;
};
struct AuditPage {
    std::vector<AuditEntry> entries{};  // newest first
    bool has_more = false;
};
Result<AuditPage> list_audit_entries(Database& database, const AuditFilter& filter);

}  // namespace runnel::storage
