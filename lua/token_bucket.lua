-- The token bucket, as src/limits/token_bucket.h describes it; the same arithmetic in whole numbers.
-- Parameters: rate_permits, rate_micros (reduced), burst.
-- Key: a string of five doubles: level, at, peak, before, micros. Levels are in 1/micros permits.
-- All numbers stay below 2^53, where doubles are whole numbers and a quotient's floor and ceiling
-- are exact.

local kept = 10000000 -- limits::kGiveBackWithin

-- Moves the bucket on to `now`. Time never runs backwards.
local function advance(b, now)
  local waited = now - b.at
  if waited <= 0 then
    return
  end
  local level = b.full
  if waited < math.ceil((b.full - b.level) / b.rate) then -- So the product cannot overflow.
    level = b.level + waited * b.rate
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

local function look(key, place, cost, now)
  local rate, micros, burst =
    tonumber(ARGV[place]), tonumber(ARGV[place + 1]), tonumber(ARGV[place + 2])
  local full = burst * micros
  local b = {
    key = key, rate = rate, micros = micros, burst = burst, cost = cost,
    full = full, need = cost * micros,
    level = full, at = now, peak = 0, before = 0,
  }
  local stored = redis.call('GET', key)
  if stored then
    local unit
    b.level, b.at, b.peak, b.before, unit = struct.unpack('>ddddd', stored)
    if unit ~= micros then
      b.level = math.floor(b.level / unit) * micros
      b.peak, b.before = full, full
    end
    if b.level > full then
      b.level = full
    end
    advance(b, now)
  end
  return b
end

-- When this ask can have as many `more` permits as that, after those it has booked.
local function reach(b, _, _, more)
  local missing = more * b.need - b.level
  if missing <= 0 then
    return b.at
  end
  return b.at + math.ceil(missing / b.rate)
end

-- Written back as one command. Full and forgotten by all, it is as good as fresh: so it expires.
local function write(b, now, slack)
  local fresh_at = b.at + math.max(math.ceil((b.full - b.level) / b.rate), kept)
  redis.call('SET', b.key, struct.pack('>ddddd', b.level, b.at, b.peak, b.before, b.micros),
    'PX', expiry(fresh_at, now, slack))
end

algorithms.token_bucket = {
  parameters = 3,
  grants_ahead = true,
  look = look,
  ever = function(b, permits)
    return b.rate > 0 and permits * b.cost <= b.burst
  end,
  reach = reach,
  book = function(b, at)
    advance(b, at)
    b.level = b.level - b.need
  end,
  pay = function(b, _, _, _, now, slack)
    write(b, now, slack)
  end,
  remaining = function(b, now)
    if b.rate == 0 or b.at > now then
      return 0
    end
    return math.floor(b.level / b.micros)
  end,
  give_back = function(b, ids, now, slack)
    local permits = math.min(#ids * b.cost, b.burst)
    local credit = math.min(permits * b.micros, b.full - math.max(b.peak, b.before, b.level))
    if credit > 0 and b.rate > 0 then
      b.level, b.peak, b.before = b.level + credit, b.peak + credit, b.before + credit
      write(b, now, slack)
    end
    return #ids
  end,
}
