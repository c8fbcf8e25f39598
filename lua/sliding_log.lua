-- The sliding log, as src/limits/windows/sliding_log.h describes it. Parameters: limit, window_us.
-- Key: a sorted set. Score: the instant of one unit of a permit. Member: the permit's id, and for
-- its second and further units the id and two more bytes. A release of the newest entry leaves a
-- mark at its instant, because bookings never go back; the next booking removes the mark.

-- Sorts behind every member of the same score.
local mark = '\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255'
local purged_from = 32 -- Fewer that have left may stay: a purge costs as much for one as for many.
local purged_at_once = 200 -- Besides as many as were added: a call's work stays bounded.
local read_at_once = 256 -- Entries of one ZRANGE, at most.
local sent_at_once = 1000 -- Members of one ZADD or ZREM: Lua can spread only so many arguments.
local most_cost = 1000 -- limits::kMostLogCost

-- The instant of the entry at `rank`, which is there. Reads ever more of those behind it: an ask that
-- wants one wants the next. `c` holds what was read for one rule.
local function entered(b, c, rank)
  local i = 2 * (rank - c.from) + 2
  if i < 2 or i > #c.entries then
    c.entries = redis.call('ZRANGE', b.key, rank, rank + c.reads - 1, 'WITHSCORES')
    c.from, i = rank, 2
    c.reads = math.min(4 * c.reads, read_at_once)
  end
  return c.entries[i] + 0
end

-- Which of the booked permits has that unit of all that they have.
local booked_with
if costs then
  function booked_with(c, unit)
    local i, before = c.permit or 1, c.before or 0 -- Units of the permits before the i-th.
    while unit < before do
      i = i - 1
      before = before - costs[i]
    end
    while unit >= before + costs[i] do
      before = before + costs[i]
      i = i + 1
    end
    c.permit, c.before = i, before
    return i
  end
end

-- When this ask can have as many `more` permits as that, after those it has booked, where so many units
-- may be booked in any such time. Only entries from before the last of them can stand in the way.
local function frees(b, c, units, apart, booked, granted, more)
  local after = booked[granted] or b.at
  local rank = b.count + (b.units or granted * b.cost) + more * b.cost - units - 1 -- Must have left by then.
  if rank < b.dead then
    return after
  end
  local at
  if rank < b.count then
    at = entered(b, c, rank) + apart
  elseif b.units then
    at = booked[booked_with(c, rank - b.count)] + apart
  else
    at = booked[math.floor((rank - b.count) / b.cost) + 1] + apart
  end
  return at > after and at or after
end

local function reach(b, booked, granted, more)
  return frees(b, b, b.limit, b.window, booked, granted, more)
end

-- The members of one permit, `unit` counting from 0.
local function member(id, unit)
  return unit == 0 and id or id .. struct.pack('>I2', unit)
end

local function add_many(b, booked, granted, prefix)
  local adds, n, written, text = {}, 0, nil, nil
  for i = 1, granted do
    local at = booked[i]
    if at ~= written then
      written, text = at, string.format('%d', at)
    end
    local id = prefix .. string.char(math.floor((i - 1) / 256), (i - 1) % 256)
    for unit = 0, (b.units and costs[i] or b.cost) - 1 do
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

local function pay(b, now, slack, booked, granted, prefix)
  local added = b.units or granted * b.cost
  if b.dead == b.count and b.dead >= purged_from then
    redis.call('UNLINK', b.key) -- However many they are.
    b.count, b.dead = 0, 0
  elseif b.marked then
    redis.call('ZREM', b.key, mark)
  end
  b.marked = false
  if added == 1 then
    redis.call('ZADD', b.key, string.format('%d', booked[1]), prefix .. '\0\0')
  else
    add_many(b, booked, granted, prefix)
  end
  if b.dead >= purged_from then
    redis.call('ZREMRANGEBYRANK', b.key, 0, math.min(b.dead, purged_at_once + added) - 1)
  end
  b.last = booked[granted]
  b.count = b.count + added
  redis.call('PEXPIRE', b.key, expiry(b.last + b.window, now, slack))
end

local function remaining(b, now)
  local left = b.limit - (b.count - b.dead)
  if left < 0 or b.last > now then
    return 0
  end
  return left
end

local log = {
  parameters = 2, reach = reach, pay = pay, remaining = remaining, frees = frees,
}

function log.look(key, cost, place, now)
  local limit, window = ARGV[place] + 0, ARGV[place + 1] + 0
  local last, at, count, dead, marked = -math.huge, now, 0, 0, false
  local newest = redis.call('ZRANGE', key, '-1', '-1', 'WITHSCORES')
  if newest[1] then
    last, marked = newest[2] + 0, newest[1] == mark
    count = redis.call('ZCARD', key)
    if marked then
      count = count - 1
    end
    if last > now then
      at = last
    end
    dead = last <= at - window and count
      or redis.call('ZCOUNT', key, '-inf', string.format('%d', at - window))
  end
  return {
    kind = log, key = key, cost = cost, most = cost <= most_cost and limit or 0,
    limit = limit, window = window,
    last = last, -- The last booked instant.
    at = at, -- The earliest instant of the next booking.
    count = count, -- Entries, without the mark.
    dead = dead, -- Those of them that have left by `at`.
    marked = marked, dearest = costs and most_cost,
    entries = newest, -- Some entries with their scores, as read, from the rank `from` on.
    from = marked and count or count - 1, reads = 1,
  }
end

if shared then
  -- When there is room for so many units under that rule, and how much of that is because what is taken
  -- before must leave again first.
  local function frees_behind(b, c, units, apart, booked, n, more)
    local laps = math.floor((more - 1) / units)
    more = more - laps * units
    -- As for one permit of that cost.
    local cost = b.cost
    local rank = b.count + n * cost + more - units - 1
    local at = booked[n] or b.at
    if rank >= b.count then
      at = math.max(at, booked[math.floor((rank - b.count) / cost) + 1] + apart)
    elseif rank >= b.dead then
      at = math.max(at, entered(b, c, rank) + apart)
    end
    return at + laps * apart, laps * apart
  end
  log.frees_behind = frees_behind

  function log.behind(b, booked, n, units)
    if units == 0 then
      return b.kind.reach(b, booked, n, 1)
    end
    local at = frees_behind(b, b, b.limit, b.window, booked, n, units + b.cost)
    return at
  end

  function log.soonest_behind(b, booked, n, units, horizon)
    if units == 0 then
      return b.kind.reach(b, booked, n, 1) - horizon
    end
    local at, laps = frees_behind(b, b, b.limit, b.window, booked, n, units + b.cost)
    return laps <= horizon and at - horizon or nil
  end
end

if costs then
  counts_units(log)
end

if returns then
  local function remove(b, id)
    for first = 0, b.cost - 1, sent_at_once do
      local members = {}
      for unit = first, math.min(first + sent_at_once, b.cost) - 1 do
        members[#members + 1] = member(id, unit)
      end
      redis.call('ZREM', b.key, unpack(members))
    end
  end

  function log.give_back(b, now, slack, ids)
    local found = 0
    for _, id in ipairs(ids) do
      local at = redis.call('ZSCORE', b.key, id)
      if at and at + 0 > b.at - b.window then
        found = found + 1
        remove(b, id)
      end
    end
    if found > 0 and not b.marked then
      local newest = redis.call('ZRANGE', b.key, '-1', '-1', 'WITHSCORES')
      if not newest[1] or newest[2] + 0 < b.last then
        redis.call('ZADD', b.key, b.last, mark)
        redis.call('PEXPIRE', b.key, expiry(b.last + b.window, now, slack))
      end
    end
    return found
  end
end

algorithms.sliding_log = log
