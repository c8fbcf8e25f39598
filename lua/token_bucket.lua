-- The token bucket, as src/limits/token_bucket.h describes it; the same arithmetic in whole numbers.
-- Parameters: rate_permits, rate_micros (reduced), burst.
-- Key: a string of five doubles: level, at, peak, before, micros. Levels are in 1/micros permits.
-- All numbers stay below 2^53, where doubles are whole numbers and a quotient's floor and ceiling
-- are exact.

local ceil, floor = math.ceil, math.floor
local kept = 10000000 -- limits::kGiveBackWithin

-- Moves the bucket on to `now`. Time never runs backwards.
local function advance(b, now)
  local waited = now - b.at
  if waited <= 0 then
    return
  end
  local level, full = b.level, b.full
  if waited < ceil((full - level) / b.rate) then -- So the product cannot overflow.
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

-- When this ask can have as many `more` permits as that, after those it has booked.
local function reach(b, _, _, more)
  local missing = more * b.need - b.level
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
  local lasts = ceil((b.full - b.level) / b.rate)
  if lasts < kept then
    lasts = kept
  end
  redis.call('SET', b.key, struct.pack('>ddddd', b.level, b.at, b.peak, b.before, b.micros),
    'PX', expiry(b.at + lasts, now, slack))
end

local function pay(b, _, _, _, now, slack)
  write(b, now, slack)
end

local function remaining(b, now)
  if b.rate == 0 or b.at > now then
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

local function look(key, place, cost, now)
  local rate, micros, burst = ARGV[place] + 0, ARGV[place + 1] + 0, ARGV[place + 2] + 0
  local full = burst * micros
  local level, at, peak, before = full, now, 0, 0
  local stored = packed(key, 40)
  if stored then
    local unit
    level, at, peak, before, unit = struct.unpack('>ddddd', stored)
    if unit ~= micros then -- Whole permits stay.
      level = floor(level / unit) * micros
      peak, before = full, full
    end
    if level > full then
      level = full
    end
  end
  local b = {
    most = rate > 0 and floor(burst / cost) or 0, grants_ahead = true, reach = reach, book = book,
    pay = pay, remaining = remaining, give_back = give_back,
    key = key, rate = rate, micros = micros, need = cost * micros, full = full,
    level = level, at = at, peak = peak, before = before,
  }
  advance(b, now)
  return b
end

algorithms.token_bucket = { parameters = 3, look = look }
