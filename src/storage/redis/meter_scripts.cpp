#include "storage/redis/meter_scripts.hpp"

namespace runnel::storage {
namespace {

// Lua's numbers are doubles, exact up to 2^53; written out they must not become 1e+15.
constexpr const char* reserve_source = R"lua(
local function whole(number) return string.format('%.0f', number) end
local id, record_time, place_time, may_begin = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'over' then return {'over', 0} end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function living(key)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  return redis.call('ZCARD', key)
end
local function join(key)
  redis.call('ZADD', key, whole(now + place_time), id)
  redis.call('PEXPIRE', key, whole(place_time))
end

local holds, full, count = {}, 0, (#ARGV - 4) / 5
local next_set = count + 2
for i = 1, count do
  local at = 5 + (i - 1) * 5
  local hold = {key = KEYS[i + 1], kind = ARGV[at], limit = tonumber(ARGV[at + 1]),
                amount = tonumber(ARGV[at + 2]), kept = ARGV[at + 3]}
  if hold.kind == 'place' then
    hold.used, hold.born = living(hold.key), ''
  else
    local known = redis.call('HMGET', hold.key, 'used', 'born', 'reserved')
    hold.used = math.max(tonumber(known[1] or '0'), tonumber(ARGV[at + 4]))
    hold.born = known[2] or ''
    hold.reserved = tonumber(known[3] or '0')
    if hold.kind == 'money' and hold.born == '' and may_begin ~= 'yes' then
      return {'unknown', i}
    end
  end
  local no_room = hold.used >= hold.limit
  if hold.kind == 'money' then
    hold.spenders, next_set = KEYS[next_set], next_set + 1
    no_room = no_room or
        (hold.used + hold.amount > hold.limit and living(hold.spenders) > 0)
  end
  if no_room and full == 0 then full = i end
  holds[i] = hold
end

local take = not state and full == 0
local reply = {'held', 0}
if not state and full > 0 then reply = {'full', full} end
for i, hold in ipairs(holds) do
  if take and hold.kind == 'place' then
    hold.used = hold.used + 1
    join(hold.key)
  elseif take then
    hold.used = hold.used + hold.amount
    local is_new = hold.born == ''
    if is_new then hold.born = id end
    if hold.kind == 'money' then join(hold.spenders) end
    hold.reserved = hold.reserved + hold.amount
    redis.call('HSET', hold.key, 'used', whole(hold.used), 'born', hold.born,
               'reserved', whole(hold.reserved))
    if is_new or hold.kind ~= 'minute' then redis.call('PEXPIRE', hold.key, hold.kept) end
    redis.call('HSET', KEYS[1], 'amount' .. i, whole(hold.amount), 'born' .. i, hold.born)
  end
  local left = tonumber(hold.kept)
  if hold.kind == 'minute' and hold.born ~= '' then left = redis.call('PTTL', hold.key) end
  reply[#reply + 1] = hold.used
  reply[#reply + 1] = left
  reply[#reply + 1] = hold.born
  reply[#reply + 1] = hold.used - (hold.reserved or 0)
end
if take then
  redis.call('HSET', KEYS[1], 'state', 'held')
  redis.call('PEXPIRE', KEYS[1], record_time)
end
return reply
)lua";

constexpr const char* settle_source = R"lua(
local function whole(number) return string.format('%.0f', number) end
local id, over_time = ARGV[1], ARGV[2]
local state = redis.call('HGET', KEYS[1], 'state')
local count = (#ARGV - 2) / 3
local next_set = count + 2
for i = 1, count do
  local at = 3 + (i - 1) * 3
  local key, kind, actual, born = KEYS[i + 1], ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2]
  if kind == 'place' then
    redis.call('ZREM', key, id)
  else
    if kind == 'money' then
      redis.call('ZREM', KEYS[next_set], id)
      next_set = next_set + 1
    end
    local counter = redis.call('HMGET', key, 'used', 'born', 'reserved')
    local used = tonumber(counter[1] or '0')
    if state == 'held' then born = redis.call('HGET', KEYS[1], 'born' .. i) end
    if counter[2] and counter[2] == born then
      if state == 'held' then
        local amount = tonumber(redis.call('HGET', KEYS[1], 'amount' .. i))
        local reserved = tonumber(counter[3] or '0')
        redis.call('HSET', key, 'used', whole(math.max(0, used + actual - amount)),
                   'reserved', whole(math.max(0, reserved - amount)))
      end
    elseif counter[2] and kind == 'money' and state ~= 'over' and born ~= '' then
      -- Redis lost the counter that this was reserved in, and has another one since.
      redis.call('HSET', key, 'used', whole(used + actual))
    end
  end
end
if state == 'held' then
  redis.call('DEL', KEYS[1])
  return 1
end
redis.call('HSET', KEYS[1], 'state', 'over')
redis.call('PEXPIRE', KEYS[1], over_time)
return 0
)lua";

constexpr const char* renew_source = R"lua(
local place_time = tonumber(ARGV[1])
local time = redis.call('TIME')
local until_then = string.format('%.0f', tonumber(time[1]) * 1000 + place_time)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], until_then, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return #ARGV - 1
)lua";

}  // namespace

const RedisScript& reserve_script() {
    static const RedisScript script(reserve_source);
    return script;
}

const RedisScript& settle_script() {
    static const RedisScript script(settle_source);
    return script;
}

const RedisScript& renew_script() {
    static const RedisScript script(renew_source);
    return script;
}

}  // namespace runnel::storage
