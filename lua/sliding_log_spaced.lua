-- The sliding log whose permits keep a distance, as src/limits/windows/spacing.h describes it.
-- Parameters: limit, window_us, group, group_apart_us, burst, burst_apart_us (no burst: 0, 0).
-- Key: as of a sliding log.

local log = algorithms.sliding_log
local frees = log.frees

-- When the permits could leave at once, if `at` is when the limit has room for them.
local function at_once(b, at, booked, granted, more)
  if b.burst.units == 0 then
    return at
  end
  return math.max(at, frees(b, b.burst, b.burst.units, b.burst.apart, booked, granted, more))
end

-- When a permit that is due later than now keeps its distance.
local function later(b, at, booked, granted)
  local apart = frees(b, b.group, b.group.units, b.group.apart, booked, granted, 1)
  return apart > at and apart or at
end

local function left_of(b, units, apart, now)
  local taken = redis.call('ZCOUNT', b.key, string.format('(%d', now - apart), '+inf')
  return units - taken + (b.marked and b.last > now - apart and 1 or 0)
end

local spaced = { pay = log.pay, give_back = log.give_back }

function spaced.reach(b, booked, granted, more)
  local at, now = frees(b, b, b.limit, b.window, booked, granted, more), b.group.now
  if at <= now and at_once(b, at, booked, granted, more) <= now then
    return at
  end
  return later(b, at, booked, granted)
end

-- Whoever waits until a permit could leave at once need not keep the distance.
function spaced.soonest(b, booked, granted, more, horizon)
  local at = log.reach(b, booked, granted, more)
  local free = at_once(b, at, booked, granted, more)
  if more > 1 then
    return free
  end
  return math.min(free, later(b, at, booked, granted) - horizon)
end

function spaced.remaining(b, now)
  local left = log.remaining(b, now)
  if left == 0 or b.burst.units == 0 then
    return left
  end
  return math.max(0, math.min(left, math.max(left_of(b, b.burst.units, b.burst.apart, now),
    left_of(b, b.group.whole, b.group.whole_apart, now))))
end

-- As many whole permits as fit into a group, at least one.
local function fit(group, cost)
  if cost == 1 then
    group.units, group.apart = group.whole, group.whole_apart
    return
  end
  group.units = math.max(1, math.floor(group.whole / cost)) * cost
  group.apart = math.floor(group.whole_apart / group.whole) * group.units
end

if shared then
  local function later_of(at, laps, other, its)
    if other > at or other == at and its > laps then
      return other, its
    end
    return at, laps
  end

  -- When so many could leave at once, when there is room for them, and when they keep their distance; each
  -- with how much of it is that what is taken before must leave again.
  local function all_behind(b, booked, n, more)
    local free, laps = log.frees_behind(b, b, b.limit, b.window, booked, n, more)
    local together, its = free, laps
    if b.burst.units > 0 then
      together, its = later_of(free, laps, log.frees_behind(b, b.burst, b.burst.units, b.burst.apart, booked, n, more))
    end
    return together, its, free,
      later_of(free, laps, log.frees_behind(b, b.group, b.group.whole, b.group.whole_apart, booked, n, more))
  end

  function spaced.behind(b, booked, n, units)
    if units == 0 then
      return spaced.reach(b, booked, n, 1)
    end
    local together, _, free, apart = all_behind(b, booked, n, units + b.cost)
    return together <= b.group.now and free or apart
  end

  function spaced.soonest_behind(b, booked, n, units, horizon)
    if units == 0 then
      return spaced.soonest(b, booked, n, 1, horizon)
    end
    local together, its, _, apart, laps = all_behind(b, booked, n, units + b.cost)
    local at = its == 0 and together or nil
    if laps > horizon then
      return at
    end
    return at and math.min(at, apart - horizon) or apart - horizon
  end
end

if costs then
  counts_units(spaced)
  local next_units = spaced.next
  function spaced.next(b, cost)
    next_units(b, cost)
    fit(b.group, cost)
  end
end

local function rule(place)
  return { units = ARGV[place] + 0, apart = ARGV[place + 1] + 0, entries = {}, from = 0, reads = 1 }
end

algorithms.sliding_log_spaced = {
  parameters = 6,
  look = function(key, cost, place, now)
    local b = log.look(key, cost, place, now)
    local group, burst = rule(place + 2), rule(place + 4)
    group.whole, group.whole_apart = group.units, group.apart
    if cost > 1 then
      fit(group, cost)
    end
    group.now = now
    if burst.units > 0 then
      b.most = math.min(b.most, burst.units)
    end
    b.kind, b.group, b.burst = spaced, group, burst -- With its other 14 fields as many as may be.
    return b
  end,
}
