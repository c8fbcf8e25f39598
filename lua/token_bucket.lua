-- The token bucket, as src/limits/token_bucket.h describes it; the same arithmetic in whole numbers.
-- Parameters: rate_permits, rate_micros (reduced), burst.
-- Key: a string of 't' and five doubles: level, at, peak, before, micros. Levels are in 1/micros
-- permits. All numbers stay below 2^53, where doubles are whole numbers and a quotient's floor and
-- ceiling are exact.

local kept = 10000000 -- limits::kGiveBackWithin

-- Moves the bucket on to `now`. Time never runs backwards.
local function advance(b, now)
  local waited, level, full = now - b.at, b.level, b.full
  if waited <= 0 then
    return
  end
  if waited < (full - level) / b.rate then -- So the product cannot overflow.
    level = level + waited * b.rate
  else
    level = full
  end
  if waited >= kept then
    b.peak, b.before = 0, 0
  elseif floor(now / kept) ~= floor(b.at / kept) then
    b.before, b.peak = b.peak, level
  elseif level > b.peak then
    b.peak = level
  end
  b.level, b.at = level, now
end

local function ever(b, n)
  return b.rate > 0 and n * b.cost <= b.most
end

-- When this ask can have as many `more` permits as that, after those it has booked.
local function reach(b, _, _, more)
  local missing = more * b.need - b.owed - b.level
  if missing <= 0 then
    return b.at
  end
  return b.at + ceil(missing / b.rate)
end

local function book(b, at)
  if at > b.at then
    advance(b, at)
  end
  b.level = b.level - b.need
end

-- Written back as one command. Full and forgotten by all, it is as good as fresh: so it expires.
local function write(b, now, slack)
  local level, at = b.level, b.at
  local lasts = ceil((b.full - level) / b.rate)
  if lasts < kept then
    lasts = kept
  end
  call('SET', b.key, pack('>c1ddddd', 't', level, at, b.peak, b.before, b.micros),
    'PX', expiry(at + lasts, now, slack))
end

local function pay(b, _, _, _, now, slack)
  write(b, now, slack)
end

local function remaining(b, now)
  if b.rate == 0 or b.at > now or b.level <= 0 then
    return 0
  end
  return floor(b.level / b.micros)
end

local function give_back(b, ids, _, now, slack)
  local units = math.min(#ids * b.need, b.full)
  local credit = math.min(units, b.full - math.max(b.peak, b.before, b.level))
  if credit > 0 and b.rate > 0 then
    b.level, b.peak, b.before = b.level + credit, b.peak + credit, b.before + credit
    write(b, now, slack)
  end
  return #ids
end

-- units * to / from: the whole part, and whether there is a rest. Bit by bit, because the product is
-- longer than a double. REQUIRES: units >= 0.
local function rescaled(units, from, to)
  local part = units % from
  local whole, rest, bit = 0, 0, 2 ^ 52
  while bit >= 1 do
    whole, rest = 2 * whole, 2 * rest
    if rest >= from then
      whole, rest = whole + 1, rest - from
    end
    if to % (2 * bit) >= bit then
      if rest >= from - part then
        whole, rest = whole + 1, rest - (from - part)
      else
        rest = rest + part
      end
    end
    bit = bit / 2
  end
  return floor(units / from) * to + whole, rest > 0
end

-- A level in units of 1/from permits in those of 1/to permits, rounded down. Exact, so that gates
-- that ask under both rates in turn do not starve.
local function converted(level, from, to, burst)
  if level < 0 then
    local whole, rest = rescaled(-level, from, to)
    return math.max(-2 ^ 53, -whole - (rest and 1 or 0))
  end
  if floor(level / from) >= burst then
    return burst * to
  end
  return (rescaled(level, from, to))
end

local kind = {
  ever = ever, reach = reach, book = book, pay = pay, remaining = remaining, give_back = give_back,
}

local function look(key, cost, place, now)
  local rate, micros, burst = ARGV[place] + 0, ARGV[place + 1] + 0, ARGV[place + 2] + 0
  local full = burst * micros
  local b = {
    kind = kind, key = key, cost = cost, most = burst, ahead = math.huge,
    rate = rate, micros = micros, full = full,
    need = cost * micros, -- Units of a permit.
    owed = 0, -- What the last permit may leave unpaid.
    level = full, at = now, peak = 0, before = 0,
  }
  local stored = call('GET', key)
  if stored then
    local tag, level, at, peak, before, unit
    if #stored == 41 then
      tag, level, at, peak, before, unit = unpacked('>c1ddddd', stored)
    end
    if tag ~= 't' then
      foreign(key)
    end
    if unit ~= micros then
      level, peak, before = converted(level, unit, micros, burst), full, full
    end
    b.level, b.at, b.peak, b.before = level < full and level or full, at, peak, before
    advance(b, now)
  end
  return b
end

algorithms.token_bucket = { parameters = 3, look = look }
