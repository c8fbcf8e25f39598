-- The token bucket, as src/limits/rates/token_bucket.h describes it; the same arithmetic in whole numbers.
-- Parameters: rate_permits, rate_micros (reduced), burst.
-- Key: a string of 't' and five doubles: level, at, peak, before, micros. Levels are in 1/micros
-- permits. All numbers stay below 2^53, where doubles are whole numbers and a quotient's floor and
-- ceiling are exact.

local kept = 10000000 -- limits::kGiveBackWithin

-- Moves the bucket on to `now`, which is after b.at: time never runs backwards.
local function advance(b, now)
  local waited, level, full = now - b.at, b.level, b.full
  if waited < (full - level) / b.rate then -- So the product cannot overflow.
    level = level + waited * b.rate
  else
    level = full
  end
  if waited >= kept then
    b.peak, b.before = 0, 0
  elseif math.floor(now / kept) ~= math.floor(b.at / kept) then
    b.before, b.peak = b.peak, level
  elseif level > b.peak then
    b.peak = level
  end
  b.level, b.at = level, now
end

-- When this ask can have as many `more` permits as that, after those it has booked.
local function reach(b, _, _, more)
  local missing = more * b.need - b.level
  if b.owed then
    missing = missing - b.owed
  end
  if missing <= 0 then
    return b.at
  end
  return b.at + math.ceil(missing / b.rate)
end

local function book(b, at)
  if at > b.at then
    advance(b, at)
  end
  b.level = b.level - b.need
end

-- Written back as one command. Full and forgotten by all, it is as good as fresh: so it expires.
local function pay(b, now, slack)
  local level, at = b.level, b.at
  local lasts = math.max(math.ceil((b.full - level) / b.rate) + (b.kept or 0), kept)
  redis.call('SET', b.key, struct.pack('>c1ddddd', 't', level, at, b.peak, b.before, b.micros),
    'PX', expiry(at + lasts, now, slack))
end

local function remaining(b, now)
  if b.never or b.at > now or b.level <= 0 then
    return 0
  end
  return math.floor(b.level / b.micros)
end

-- A level in units of 1/from permits in those of 1/to permits, rounded down. Exact, so that gates
-- that ask under both rates in turn do not starve.
local function converted(level, from, to, burst)
  if math.floor(level / from) >= burst then
    return burst * to
  end
  local units = math.abs(level)
  local whole, rest = algorithms.scaled(units % from, from, to)
  whole = math.floor(units / from) * to + whole
  if level >= 0 then
    return whole
  end
  return math.max(-2 ^ 53, rest > 0 and -whole - 1 or -whole)
end

local bucket = {
  parameters = 3, reach = reach, book = book, pay = pay, remaining = remaining,
}

-- The second result is the instant that the stored level was of, the third that level.
function bucket.look(key, cost, place, now)
  local rate, micros, burst = ARGV[place] + 0, ARGV[place + 1] + 0, ARGV[place + 2] + 0
  local full, stored = burst * micros, redis.call('GET', key)
  if not stored then
    return {
      kind = bucket, key = key, cost = cost, most = burst, never = rate == 0,
      rate = rate, micros = micros, full = full,
      need = cost * micros, -- Units of a permit.
      level = full, at = now, peak = 0, before = 0, new = true,
    }
  end
  local tag, level, at, peak, before, unit
  if #stored == 41 then
    tag, level, at, peak, before, unit = struct.unpack('>c1ddddd', stored)
  end
  if tag ~= 't' then
    foreign(key)
  end
  if unit ~= micros then
    level, peak, before = converted(level, unit, micros, burst), full, full
  end
  local b = {
    kind = bucket, key = key, cost = cost, most = burst, never = rate == 0,
    rate = rate, micros = micros, full = full, need = cost * micros,
    level = level < full and level or full, at = at, peak = peak, before = before,
  }
  local stood = b.level
  if now > at then
    advance(b, now)
  end
  return b, at, stood
end

if shared then
  -- What the next one pays for itself: nothing where the one after it does.
  local function own(b)
    return b.owed and 0 or b.need
  end

  function bucket.behind(b, _, _, units)
    local missing = units * b.micros + own(b) - b.level
    return missing > 0 and b.at + math.ceil(missing / b.rate) or b.at
  end

  function bucket.soonest_behind(b, booked, n, units, horizon)
    if units * b.micros + own(b) - b.full > horizon * b.rate then
      return nil
    end
    return bucket.behind(b, booked, n, units) - horizon
  end
end

if costs then
  function bucket.next(b, cost)
    b.cost, b.need = cost, cost * b.micros
    b.owed = b.owed and b.need
  end
end

if entry == 'release' then
  -- One that is too old stays spent: the peaks know nothing of what was before.
  function bucket.give_back(b, now, slack, ids, instants)
    local known = 0
    for i = 1, #ids do
      if instants[i] > b.at - kept then
        known = known + 1
      end
    end
    local units = math.min(known * b.need, b.full)
    local credit = math.min(units, b.full - math.max(b.peak, b.before, b.level))
    if credit > 0 and not b.never then
      b.level, b.peak, b.before = b.level + credit, b.peak + credit, b.before + credit
      pay(b, now, slack)
    end
    return known
  end
end

algorithms.token_bucket = bucket
