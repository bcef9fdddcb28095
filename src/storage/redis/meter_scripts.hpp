#pragma once

#include "storage/redis/client.hpp"

// What a meter does in Redis, each as one step.
//
// A counter is a hash: `used`, what is `reserved` of it, and `born`, the id of the claim that made
// it. A window that is over is a key that has expired, so a counter with another `born` is another
// counter. Places, and those who are spending a budget's money, are sorted sets of claim ids by the
// time at which they are given up, unless they are renewed. A claim's record has what it took,
// under the name of the holder's slot; `state` is held, or over for one that can't be held any
// more.
namespace runnel::storage {

// KEYS: the claim's record, its counters, and who is spending for those of money. ARGV: the claim's
// id; how long the record and a place are kept; whether a counter of money that is not there may
// begin (yes or no); and for each counter its kind (minute, calendar, money or place), limit,
// amount, how long it is kept, and what it has counted at least. Answers held or full; which
// counter is full, from 1; and for each counter what it has used, when a minute ends, and its
// `born`. Or only unknown, where money may not begin, or over.
const RedisScript& reserve_script();

// KEYS: the same. ARGV: the claim's id, how long it is remembered to be over, and for each counter
// its kind, what was used in the end, and its `born` as it was told, or nothing.
const RedisScript& settle_script();

// KEYS: a set of places or spenders. ARGV: how long they are kept from now on, and the ids of
// claims.
const RedisScript& renew_script();

}  // namespace runnel::storage
