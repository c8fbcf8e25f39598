-- Smooth with warm-up, as src/limits/rates/warm_up.h describes it.
-- Parameters: rate_permits, rate_micros (reduced), timeout_us, warm_up_us.
-- Key: a string of 'w' and five doubles: level, at, frac, rate_permits, rate_micros. All that was taken
-- is paid at - frac/permits.

local after = algorithms.exact_instant.after
local pieces = 64

-- What it takes above the usual to bring the level down to the warm half, in units.
local function surcharge(level, full)
  local warm = math.floor(full / 2)
  local cold = level - warm
  if cold <= 0 then
    return 0
  end
  local piece = math.ceil((full - warm) / pieces)
  local whole = math.floor(cold / piece)
  if whole > pieces - 1 then
    whole = pieces - 1
  end
  return math.floor((whole * whole * piece + (2 * whole + 1) * (cold - whole * piece)) / pieces)
end

-- Collects what the time since the last permit was paid has brought: never above full.
local function idle_until(b, now)
  local level, full, idle = b.level, b.full, now - b.at
  if level > full then
    level = full
  end
  if idle > 0 then
    local gain = idle * b.rate
    level = gain >= full - level - b.frac and full or level + gain + b.frac
    b.at, b.frac = now, 0
  end
  b.level = level
end

local function ever(b, n, horizon)
  local units = horizon * b.rate
  if n - 1 > math.floor(units / b.need) then
    return false
  end
  -- As the last permit of an ask is paid by the next ask, it does not count.
  local usual = (n - 1) * b.need
  local rest = usual < b.full and b.full - usual or 0
  return usual + surcharge(b.full, b.full) - surcharge(rest, b.full) <= units
end

local function reach(b)
  return b.at
end

local function book(b, at)
  idle_until(b, at)
  local level, full = b.level, b.full
  local rest = level > b.need and level - b.need or 0
  b.level = rest
  b.at, b.frac = after(b, b.need + surcharge(level, full) - surcharge(rest, full))
end

local function pay(b, now, slack)
  redis.call('SET', b.key, struct.pack('>c1ddddd', 'w', b.level, b.at, b.frac, b.rate, b.micros),
    'PX', expiry(b.at + math.ceil((b.full - b.level) / b.rate), now, slack))
end

local function remaining(b, now)
  return not b.never and b.at <= now and 1 or 0
end

local limiter = {
  parameters = 4, ever = ever, reach = reach, book = book, pay = pay, remaining = remaining
}

function limiter.look(key, cost, place, now)
  local rate, micros = ARGV[place] + 0, ARGV[place + 1] + 0
  local full = rate * ARGV[place + 3]
  local b = {
    kind = limiter, key = key, cost = cost, ahead = ARGV[place + 2] + 0,
    most = cost <= math.floor(2 ^ 52 / micros) and math.huge or 0, never = rate == 0,
    rate = rate, micros = micros, full = full,
    need = cost * micros, -- Units of a permit.
    level = full, at = now, frac = 0,
    dearest = costs and math.floor(2 ^ 52 / micros),
  }
  local stored = redis.call('GET', key)
  if stored then
    local tag, level, at, frac, permits, unit
    if #stored == 41 then
      tag, level, at, frac, permits, unit = struct.unpack('>c1ddddd', stored)
    end
    if tag ~= 'w' then
      foreign(key)
    end
    if unit ~= micros then -- Whole permits stay.
      local collected = math.floor(level / unit)
      level = collected > math.floor(full / micros) and full or collected * micros
    end
    if unit ~= micros or permits ~= rate then
      frac = 0
    end
    b.level, b.at, b.frac = level, at, frac
    idle_until(b, now)
  end
  return b
end

if costs then
  function limiter.next(b, cost)
    b.cost, b.need = cost, cost * b.micros
  end
end

if entry == 'release' then
  -- How warm the limiter is depends on what was taken.
  function limiter.give_back()
    return 0
  end
end

algorithms.warm_up = limiter
