-- Asks several buckets at once, all or nothing: src/limits/permits/acquire.h has the contract.
-- ARGV behind the buckets: min, max, horizon_us, the 14 bytes that all permit ids of this ask begin
-- with, memo, now_us ('' = the server's clock), ttl_slack_ms. `max` may be a list of costs, of so many
-- permits, for the buckets whose cost is '*'; `min` is 1 then. `memo` is '' or says that KEYS ends with
-- one key more, which remembers what was granted: '0' = a new ask, '1' = an ask that was sent before.
-- Reply: granted, now_us, retry_us (-1 = never, -2 = all were granted), reason (place of the bucket
-- from 0, -1 = all were granted), what remains in each bucket, and each permit's due time in
-- microseconds after now_us.
local buckets = #KEYS
if memo ~= '' then
  buckets = buckets - 1
end

-- When an ask would get `more` permits of the bucket, due within `horizon`, after those booked.
local function soonest_of(b, booked, n, more, horizon)
  local kind = b.kind
  if kind.soonest then
    return kind.soonest(b, booked, n, more, horizon)
  end
  return kind.reach(b, booked, n, more) - horizon
end

-- One permit of one bucket: the same as below, without what is for many.
if alone then
  local b = algorithms[algorithm].look(KEYS[1], ARGV[2] + 0, 3, now)
  local kind, ahead, within = b.kind, b.ahead, horizon
  if b.unwritten then
    kind.pay(b, now, slack)
  end
  if ahead ~= nil and (not ahead or ahead < horizon) then
    within = ahead or 0
  end
  if b.never or b.cost < 1 or b.cost > b.most or kind.ever and not kind.ever(b, 1, within) then
    return { 0, now, -1, 0, kind.remaining(b, now) }
  end
  local booked = {}
  local at = kind.reach(b, booked, 0, 1)
  if at > now + within then
    return { 0, now, soonest_of(b, booked, 0, 1, within) - now, 0, kind.remaining(b, now) }
  end
  if kind.book then
    kind.book(b, at)
  end
  booked[1] = at
  kind.pay(b, now, slack, booked, 1, prefix)
  if memo == '0' then
    redis.call('SET', KEYS[2], cmsgpack.pack(prefix, now, at),
      'PX', string.format('%d', remembered / 1000 + slack))
  end
  return { 1, now, -2, -1, kind.remaining(b, now), at - now }
end

local min, max = ARGV[last - 6] + 0, costs and #costs or ARGV[last - 5] + 0
local all, costly = {}, costs and {}

local function look()
  local place = 1
  for i = 1, buckets do
    local algorithm, cost = algorithms[ARGV[place]], ARGV[place + 1]
    if costs and cost == '*' then
      cost, costly[i] = costs[1], true
    end
    all[i] = algorithm.look(KEYS[i], cost + 0, place + 2, now)
    place = place + 2 + algorithm.parameters
  end
end

local function answer(granted, retry, reason, booked)
  local reply = { granted, now, retry, reason }
  for i = 1, buckets do
    reply[4 + i] = all[i].kind.remaining(all[i], now)
  end
  for i = 1, granted do
    reply[4 + buckets + i] = booked[i] - now
  end
  return reply
end

look()
if memo == '1' then
  local known = redis.call('GET', KEYS[buckets + 1])
  if known then
    local asked, at, booked = cmsgpack.unpack(known)
    if asked == prefix and now - at <= remembered and at - now <= future then
      if type(booked) == 'number' then
        booked = { booked }
      end
      -- A write, so that a WAIT behind this call waits for what was granted too.
      redis.call('PEXPIRE', KEYS[buckets + 1], remembered / 1000 + slack)
      return answer(#booked, -2, -1, booked)
    end
  end
  -- Places that it was granted and never told of are held by nobody: they must not be in its way.
  local ids, place, found = {}, 1, 0
  for i = 1, max do
    ids[i] = prefix .. string.char(math.floor((i - 1) / 256), (i - 1) % 256)
  end
  for i = 1, buckets do
    local algorithm = algorithms[ARGV[place]]
    local b = all[i]
    if algorithm.held and b.count > 0 then
      if costs and costly[i] then
        for j = 1, max do
          b.cost = costs[j]
          found = found + b.kind.give_back(b, now, slack, { ids[j] })
        end
        b.cost = costs[1]
      else
        found = found + b.kind.give_back(b, now, slack, ids)
      end
    end
    place = place + 2 + algorithm.parameters
  end
  if found > 0 then
    look()
  end
end

local all_ahead, within = true, horizon
for i = 1, buckets do
  local ahead = all[i].ahead
  if all[i].unwritten then
    all[i].kind.pay(all[i], now, slack)
  end
  if ahead == false then
    all_ahead, within = false, 0
  elseif ahead and ahead < within then
    within = ahead
  end
end
for i = 1, buckets do
  local b = all[i]
  if b.never or b.cost < 1 or min * b.cost > b.most
    or b.kind.ever and not b.kind.ever(b, min, within) then
    return answer(0, -1, i - 1)
  end
end

-- How long to wait until an ask gets `more` permits of all of them.
local function soonest(booked, n, more)
  local at = now
  for i = 1, buckets do
    at = math.max(at, soonest_of(all[i], booked, n, more, within))
  end
  return at - now
end

-- The permit behind the n booked ones costs what it does. The first bucket that could never grant it.
local turn_to
if costs then
  function turn_to(n)
    local cost = costs[n + 1]
    for i = 1, buckets do
      local b = all[i]
      if costly[i] then
        if cost < 1 or cost > (b.dearest or b.most) or cost > b.most then
          return i
        end
        if b.kind.next then
          b.kind.next(b, cost)
        else
          b.cost = cost
        end
      end
    end
  end
end

-- Permit after permit, each when all buckets have it. If those that are due by `latest` are too few,
-- on to the instant of the last one needed: the next ones have instants too, if all can be had ahead.
local latest, booked, granted, n = now + within, {}, 0, 0
local at, reason -- When the next one is due, and the bucket that had one last, if only after `latest`.
local wait -- How long, until an ask gets more.
while n < max do
  if costs then
    reason = turn_to(n)
    if reason then
      wait = -1
      break
    end
  end
  local late
  at = now
  for i = 1, buckets do
    local b = all[i]
    local earliest = b.kind.reach(b, booked, n, 1)
    if earliest > at then
      at = earliest
      if at > latest then
        late = i
      end
    end
  end
  if not late then
    granted = n + 1
  else
    reason = reason or late
    if n + 1 >= min or not all_ahead then
      wait = soonest(booked, n, 1)
      break
    end
  end
  n = n + 1
  for i = 1, buckets do
    local b = all[i]
    if b.kind.book then
      b.kind.book(b, at)
    end
  end
  booked[n] = at
end

if granted >= min then
  for i = 1, buckets do
    all[i].kind.pay(all[i], now, slack, booked, granted, prefix)
  end
  if memo ~= '' then
    redis.call('SET', KEYS[buckets + 1], cmsgpack.pack(prefix, now, booked),
      'PX', string.format('%d', remembered / 1000 + slack))
  end
  if reason then
    return answer(granted, wait, reason - 1, booked)
  end
  return answer(granted, -2, -1, booked)
end

-- Denied, with nothing written, and what was booked does not count.
if n > 0 then
  look()
end
if not all_ahead then -- Each bucket alone is large enough for all, so they do not delay each other.
  wait = soonest({}, 0, min)
end
return answer(0, wait, reason - 1)
