-- The sliding log, as src/limits/sliding_log.h describes it. Parameters: limit, window_us.
-- Key: a sorted set. Score: the instant of one unit of a permit. Member: the permit's id, and for
-- its second and further units the id and two more bytes. A release of the newest entry leaves a
-- mark at its instant, because bookings never go back; the next booking removes the mark.

-- Sorts behind every member of the same score.
local mark = '\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255'
local purged_at_once = 200 -- Besides as many as were added: a call's work stays bounded.
local read_ahead = 250
local sent_at_once = 1000 -- Pairs of one ZADD: Lua can spread only so many arguments.

-- How many entries are not after `edge`.
local function left_until(b, edge)
  if b.last <= edge then
    return b.count
  end
  return redis.call('ZCOUNT', b.key, '-inf', edge)
end

local function look(key, place, cost, now, ahead)
  local b = {
    key = key, limit = tonumber(ARGV[place]), window = tonumber(ARGV[place + 1]), cost = cost,
    last = -math.huge, -- The last booked instant.
    at = now, count = 0, dead = 0, marked = false,
    ahead = math.min(ahead * cost, read_ahead), from = 0, scores = nil,
  }
  local newest = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
  if newest[1] then
    b.last = tonumber(newest[2])
    b.at = math.max(now, b.last)
    b.marked = newest[1] == mark
    b.count = redis.call('ZCARD', key) - (b.marked and 1 or 0)
    b.dead = left_until(b, b.at - b.window)
  end
  return b
end

-- The instant of the entry at `rank`, which is there; reads some more of those behind it.
local function entered(b, rank)
  local i = rank - b.from
  if not b.scores or i < 0 or 2 * i + 2 > #b.scores then
    b.scores = redis.call('ZRANGE', b.key, rank, rank + b.ahead - 1, 'WITHSCORES')
    b.from, i = rank, 0
  end
  return tonumber(b.scores[2 * i + 2])
end

-- When this ask can have as many `more` permits as that, after those it has booked. Only entries
-- from before the last of them can stand in the way.
local function reach(b, booked, granted, more)
  local after = booked[granted] or b.at
  local rank = b.count + (granted + more) * b.cost - b.limit - 1 -- Must have left by then.
  if rank < b.dead then
    return after
  end
  local at
  if rank < b.count then
    at = entered(b, rank)
  else
    at = booked[math.floor((rank - b.count) / b.cost) + 1]
  end
  return math.max(after, at + b.window)
end

-- The members of one permit, `unit` counting from 0.
local function member(id, unit)
  return unit == 0 and id or id .. struct.pack('>I2', unit)
end

local function add(b, booked, granted, prefix)
  local adds, n, written, text = {}, 0, nil, nil
  for i = 1, granted do
    local at = booked[i]
    if at ~= written then
      written, text = at, string.format('%.0f', at)
    end
    local id = prefix .. string.char(math.floor((i - 1) / 256), (i - 1) % 256)
    for unit = 0, b.cost - 1 do
      adds[n + 1] = text
      adds[n + 2] = member(id, unit)
      n = n + 2
      if n == 2 * sent_at_once then
        redis.call('ZADD', b.key, unpack(adds, 1, n))
        n = 0
      end
    end
  end
  if n > 0 then
    redis.call('ZADD', b.key, unpack(adds, 1, n))
  end
end

local function remove(b, id)
  for first = 0, b.cost - 1, sent_at_once do
    local members = {}
    for unit = first, math.min(first + sent_at_once, b.cost) - 1 do
      members[#members + 1] = member(id, unit)
    end
    redis.call('ZREM', b.key, unpack(members))
  end
end

local function give_back(b, ids, now, slack)
  local found = 0
  for _, id in ipairs(ids) do
    local at = redis.call('ZSCORE', b.key, id)
    if at and tonumber(at) > b.at - b.window then
      found = found + 1
      remove(b, id)
    end
  end
  if found > 0 and not b.marked then
    local newest = redis.call('ZRANGE', b.key, -1, -1, 'WITHSCORES')
    if not newest[1] or tonumber(newest[2]) < b.last then
      redis.call('ZADD', b.key, b.last, mark)
      redis.call('PEXPIRE', b.key, expiry(b.last + b.window, now, slack))
    end
  end
  return found
end

algorithms.sliding_log = {
  parameters = 2,
  grants_ahead = true,
  look = look,
  ever = function(b, permits)
    return permits * b.cost <= b.limit
  end,
  reach = reach,
  book = function() end, -- What this ask has booked comes back as `booked`.
  pay = function(b, booked, granted, prefix, now, slack)
    local added = granted * b.cost
    if b.marked then
      redis.call('ZREM', b.key, mark)
    end
    add(b, booked, granted, prefix)
    if b.dead > 0 then
      local purged = math.min(b.dead, purged_at_once + added)
      redis.call('ZREMRANGEBYRANK', b.key, 0, purged - 1)
    end
    b.last = booked[granted]
    b.count = b.count + added
    redis.call('PEXPIRE', b.key, expiry(b.last + b.window, now, slack))
  end,
  remaining = function(b, now)
    if b.last > now then
      return 0
    end
    return math.max(b.limit - (b.count - b.dead), 0)
  end,
  give_back = give_back,
}
